/** Calls that make a program run something that its name does not tell: they need approval each time, whatever was granted. */
export const escapes: string[] = [
  'sqlite3 db .shell ls', "sqlite3 db '.system ls'", "sqlite3 db -cmd '.shell ls'", 'sqlite3 db "select load_extension(\'x\')"', "duckdb -c '.shell ls'",
  "psql -c '\\! ls'", 'psql -c "copy t to program \'ls\'"', "psql -c 'select 1 \\g |ls'", "mysql -e 'system ls'", "mariadb -e '\\! ls'",
  'go build -toolexec ./x', 'go vet -vettool=./x', 'go test -exec ./x', 'go build -ldflags "-extld=./x"', 'cargo build --config build.rustc-wrapper=\\"x\\"', 'cargo rustc -- -Clinker=x', 'rustc -C linker=x x.rs',
  'gcc -wrapper x a.c', 'clang -fplugin=x a.c', 'ld --plugin x a.o', 'javac -processorpath x A.java', 'cmake -P x.cmake', 'cmake -E env ls', "rake -e 'x'", 'mvn test -Dexec.executable=ls', 'gradle -I x.gradle build',
  'npm run x --script-shell=x', 'npm --node-options=--require=x test', 'hg log --config alias.log=x', 'svn diff --diff-cmd x', "gh alias set x '!ls'",
  "vim -c '!ls' x", "view -c '!ls' x", 'vimdiff +x a b', "emacsclient -e '(x)'", 'tar --checkpoint-action=exec=ls -cf a b', 'gtar --to-command=ls -xf a', 'bsdtar --use-compress-program ls -cf a b', 'rsync -e x a b', 'ssh -o ProxyCommand=x host',
  "awk 'BEGIN{system(\"ls\")}'", "sed 's/x/y/e' f", "gnuplot -e 'system(\"ls\")'", "lldb -o 'platform shell ls'", 'ncat --exec ls host 1', 'socat - EXEC:ls', "fzf --preview 'ls'", 'patch -e x', 'ctags --options=x',
  'pandoc --lua-filter x.lua a', 'pdflatex --shell-escape x.tex', "latexmk -e 'x'", 'aria2c --on-download-complete=ls a', 'yt-dlp --exec ls a', 'nmap --script x h', 'tshark -X lua_script:x', 'find . -files0-from x', 'xargs -a files sh -c',
  // A word that says what is done becomes another one if a file of that name exists.
  'git remote set-ur[l] origin https://b.example/r', 'git submodule --quiet foreac[h] ls', 'git bisect ru? ./x', 'git notes --ref x ad*', 'git config ali[a]s.x y', 'enable -[f] ./x.so x'
]

/** Programs that can do anything: granted for a session at most, however harmless the call looks. */
export const openEnded: string[] = [
  "sqlite3 db 'select 1'", "psql -c 'select 1'", "mysql -e 'select 1'", "redis-cli eval 'x' 0", "mongosh --eval 'x'", 'go run .', 'go generate ./...', 'go tool x', 'java -jar x', 'tsx x.ts', "ts-node -e 'x'", 'npx tsx x.ts', 'uvx ipython',
  'python -m timeit x', 'python -m pdb x.py', 'irb', 'luajit x.lua', 'R -e x', 'ghc -e x', 'gnuplot x.gp', 'nawk 1 f', "mlr --c2p put 'x' f", 'm4 x', 'dc x', 'nano x', 'lldb x', 'mail x',
  'yarn node x', 'podman unshare x', 'xdg-open x', 'perf script x', 'bpftrace x', 'docker exec c ls', 'docker run alpine ls', 'docker container exec c ls', 'docker compose exec x ls', 'docker compose run x ls', 'podman exec c ls', 'kubectl exec p -- ls', 'nerdctl run alpine', 'ip netns exec x ls',
  'ansible all -m shell -a ls', 'ansible-playbook x.yml', 'adb shell ls', 'vagrant ssh -c ls', 'pipx run x', 'pnpm dlx x', 'nix run x', 'nc host 1', 'socat - TCP:host:1', 'firejail ls', 'bwrap ls', 'nodemon x', 'concurrently x y', 'pm2 start x'
]

/** Commands whose name, or the name of what they start, tells enough. */
export const plain: string[] = [
  'find . -name x', 'find . -exec touch {} +', 'go build ./...', 'go test ./...', 'go build -ldflags "-X main.version=1" .', 'cargo build', 'rustup run stable ls', 'gcc -O2 -o a a.c', 'cmake -B build', 'cmake --build build', 'make', 'npm test',
  'npm --prefix web test', 'npx eslint .', 'docker ps', 'docker compose up', 'kubectl get pods', 'tar -xzf a.tgz', 'rsync -a a b', 'git log', 'patch -p1', 'pdflatex x.tex', 'pandoc a.md', 'mvn test', 'gradle build', 'rake test', 'svn diff', 'gh pr list', 'poetry run pytest'
]
