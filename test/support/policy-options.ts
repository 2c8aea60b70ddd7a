/* eslint-disable no-template-curly-in-string -- these are command lines */

/** Options that run something, write anywhere or redirect, by the call that they are added to; `…` is their place. */
export const harmful: Record<string, string> = {
  git: '-c --config-env --exec-path --git-dir',
  'git … status': '-c --config-env --exec-path --git-dir',
  'git fetch … .': '--upload-pack',
  'git pull … .': '--upload-pack',
  'git clone … https://a.example/r': '-c --config -u --upload-pack --template --bundle-uri',
  'git ls-remote … .': '--upload-pack --exec',
  'git push … origin': '--receive-pack --exec --repo',
  'git archive … HEAD': '--exec --remote',
  'git init': '--template --separate-git-dir',
  'git rebase … main': '-x --exec',
  'git grep … foo': '-O --open-files-in-pager',
  'git difftool': '-x --extcmd',
  'git filter-branch': '--tree-filter --index-filter --msg-filter --env-filter --setup',
  'git diff': '--output',
  'git log': '--output',
  'git send-email … x': '--to-cmd --cc-cmd --smtp-server --sendmail-cmd',
  'tar … -cf a.tar b': '-M -L -I -F -T --multi-volume --tape-length --use-compress-program --to-command --checkpoint-action --rsh-command --rmt-command --info-script --new-volume-script --files-from',
  'rsync … a b': '-e --rsh --rsync-path --remote-option --config',
  'ssh … host': '-F -E -S -I -W --zzz',
  'scp … a b': '-F -S -D -J',
  'rg … foo': '--pre --hostname-bin',
  'sort … a': '--compress-program',
  'split … a': '--filter',
  'zip … a.zip b': '-T -TT --unzip-command',
  'man … ls': '-P -H --pager --html --preprocessor --troff-device -C --config-file',
  'curl … https://a.example': '-K -x --config --connect-to --resolve --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --unix-socket --abstract-unix-socket --doh-url --dns-servers ' +
    '--dns-interface --interface --engine --alt-svc --libcurl --proxy-user --location-trusted --haproxy-protocol',
  'wget … https://a.example': '-e -H -B --execute --config --use-askpass --span-hosts --base --bind-address --dns-servers --proxy-user',
  'make … all': '-E --eval',
  'fd … x': '-x -X --exec --exec-batch',
  'find … .': '-files0-from',
  'less … a': '-o -k --lesskey-file --log-file --lesskey-src',
  'patch … a': '-e -g --ed --get',
  'install … a b': '--strip-program',
  'nm … a': '--plugin',
  'size … a': '--plugin',
  'sed … s/a/b/': '-f --file',
  'awk … 1': '-f -i -l -E --file --include --load --exec',
  'node … app.js': '-r --require --import --loader --experimental-loader --openssl-config',
  'npm … test': '--script-shell --node-options --registry --userconfig --globalconfig --git --shell',
  'npm publish': '--registry --userconfig',
  'pip install … x': '-i -f --index-url --extra-index-url --find-links --proxy --trusted-host --config-settings',
  'python -m pip install … x': '-i --index-url --extra-index-url --proxy',
  'cargo build': '--config -Z --registry --index',
  'go build': '-toolexec -overlay -compiler -vettool -exec',
  'apt-get … update': '-o -c --option --config-file',
  'docker … ps': '-H --host --context --config',
  'kubectl … get pods': '-s --server --context --kubeconfig --as --token',
  'helm install … x .': '--post-renderer --repo --kubeconfig',
  'mvn … test': '-s -gs',
  'gradle … build': '-I --init-script --include-build',
  'gh api … x': '--hostname',
  'aws … s3 ls': '--endpoint-url --ca-bundle',
  'aws s3 ls': '--endpoint-url --ca-bundle',
  'gcloud … compute instances list': '--flags-file --access-token-file',
  'rclone … ls drive:a': '--config --sftp-ssh --password-command --rc --http-proxy --drive-token-url --s3-endpoint',
  'yq … .': '--split-exp --security-enable-system-operator'
}

/** Ways to change which programs run, or where they find what they need. */
export const steering = [
  'BASH_CMDS[ls]=./evil; ls', 'BASH_CMDS=([ls]=./evil); ls', 'declare -A BASH_CMDS=([ls]=./evil); ls', "declare 'BASH_CMDS[ls]=./evil'; ls", 'BASH_ALIASES[ls]=./evil; ls', "printf -v 'BASH_CMDS[ls]' ./evil; ls",
  "read 'BASH_CMDS[ls]' < x; ls", 'read -r -a BASH_CMDS < x; ls', 'mapfile BASH_CMDS < x; ls', 'readarray -t BASH_CMDS < x; ls', '((BASH_CMDS[ls]=1)); ls', "let 'BASH_CMDS[ls]=1'; ls", 'echo $((PATH=1)); ls', 'for ((PATH=1;;)); do ls; done',
  'unset PATH; ls', 'export -n PATH; ls', 'PATH[0]=./evil; ls', ': ${BASH_CMDS[ls]:=./evil}; ls', ': ${PATH:=x}; ls', 'ls {PATH}> x', 'set -k; ls PATH=./evil', 'set -o keyword; ls', 'declare -n r=PATH; r=./evil; ls', 'PATH+=:./evil; ls',
  'typeset PATH=./evil; ls', 'readonly PATH=./evil; ls', 'mapfile -C ./evil -c 1 x < y; ls', 'getopts a PATH; ls', 'HOSTALIASES=./x ls', 'PIP_INDEX_URL=http://x ls', 'Npm_Config_registry=http://x ls',
  'x=PATH=1; ((x)); ls', 'x=PATH=1; echo $((x)); ls', "x='BASH_CMDS[ls]=1'; ((x)); ls", 'f() { local PATH; ls; }; f', 'f() { declare PATH; ls; }; f', 'f() { typeset PATH; ls; }; f', 'x=PATH; : ${!x:=y}; ls', ': ${!x=y}; ls', 'coproc PATH { ls; }; ls',
  'wait -p PATH; ls', 'wait -n -p BASH_CMDS; ls', 'OLDPWD=.git; cd -; ls', 'DIRSTACK[1]=.git; popd; ls', 'GLOBIGNORE=x; ls', 'shopt -s dotglob; ls', 'shopt -s cdable_vars; ls', 'env -u PATH ls', 'env --unset=PATH ls', 'env -iu HOME ls',
  // Text from a file, a program or a file name, used in arithmetic: `x[$(id)]` runs.
  'read -r a < x; ls $((a))', 'a=$(cat x); ls $((a))', 'ls $(( $(cat x) ))', 'read -r a < x; ((a)); ls', 'read -r a < x; let a; ls', 'read -r a < x; [[ $a -eq 1 ]]; ls', 'read -r a < x; ls ${b:a}',
  'for f in *; do ls $((f)); done', 'for f in $(cat x); do ls $((f)); done', 'mapfile -t a < x; ls $((a))', 'read < x; ls $((REPLY))', 'while :; do ls $((a)); read -r a < x; done',
  'for ((i=a; i<1; i++)); do read -r a < x; done; ls', 'a=$(cat x); b=$a; ls $((b))', 'f() { ls $(($1)); }; f "$(cat x)"', 'a=$(wc -l x; cat x); ls $((a))', 'a=$(cat x | wc -l | cat x); ls $((a))',
  'ls "${a@P}"', 'ls ${a@P}', 'read -r a < x; ls "${a@P}"', 'ls "${a[0]@P}"', 'ls "${@@P}"', 'ls "${!a@P}"', ': ${a@P}; ls', 'cat <<< "${a@P}"; ls',
  'GH_BROWSER=./x ls', 'GH_CONFIG_DIR=. ls', 'CGO_CFLAGS=x ls', 'GOCACHEPROG=./x ls', 'TF_CLI_ARGS=x ls', 'PKG_CONFIG=./x ls', 'DEPENDENCIES_OUTPUT=x ls', 'LOCPATH=. ls', 'MAVEN_ARGS=x ls'
]

/** Everyday commands: a person who has allowed one permanently, or for the session, is not asked again. */
export const everyday = [
  'git status -sb', 'git diff --stat', 'git diff HEAD~1 -- src/a.ts', 'git diff --name-only main...HEAD', 'git log --oneline -20', 'git log -n 5 --pretty=format:"%h %s"', 'git log -p --follow -- src/a.ts', 'git show --stat HEAD',
  'git blame -L 10,20 a', 'git add -A', 'git add *.ts', 'git commit -am "a message"', 'git commit -m "$MESSAGE"', 'git commit --amend --no-edit', 'git branch -vv', 'git checkout -b x', 'git switch -c x', 'git merge --no-ff x', 'git rebase -i HEAD~3',
  'git stash push -m x', 'git remote -v', 'git rev-parse --abbrev-ref HEAD', 'git -C sub status', 'git --no-pager log -3', 'git shortlog -sn', 'git archive --format=zip -o x.zip HEAD', 'git submodule status',
  'ls -lah src', 'ls *.ts', 'cat -n a', 'head -50 a', 'tail -f log', 'grep -rnE "a|b" --include="*.ts" src', 'rg -n foo src -g "*.ts"', 'rg --files -g "!node_modules"', 'rg -C3 -i foo', 'find . -name "*.ts" -not -path "./node_modules/*"',
  'find src -name "*.ts" -exec wc -l {} +', 'fd -e ts', "sed -n '1,20p' a", "sed -i.bak 's/a/b/' a", "sed -E -e 's/a/b/' -e 's/c/d/' a", 'tar -xzf a.tgz', 'tar czvf a.tgz src', 'tar xf a.tar -C out', 'tar --exclude=node_modules -czf a.tgz .',
  'zip -qr a.zip src -x "*.git*"', 'unzip -q a.zip -d out', 'sort -t, -k2,2n a', 'sort -rn a | head', 'split -l 100 a', 'diff -u a b', 'cp -r a b', 'chmod +x a', 'du -sh .', 'ps aux',
  'npm test', 'npm run build', 'npm run lint -- --fix', 'npm ci', 'npm install --save-dev x', 'npm i -D typescript', 'npm ls --depth=0', 'npm test -- --coverage', 'npm --prefix web test', 'npx eslint src --fix --ext .ts', 'npx -y prettier --write .',
  'pnpm install --frozen-lockfile', 'pnpm test --watch', 'pnpm -F web build', 'yarn add -D x', 'yarn test --coverage', 'bun test --watch', 'python app.py --port 80', 'python3 -u app.py', 'python -m pytest -x -q', 'python -m pip install -r requirements.txt',
  'pip install -U pip', 'pip install -e .', 'pytest -x -q tests', 'ruff check --fix .', 'uv run pytest -q', 'poetry run pytest -x', 'node --watch app.js', 'tsc -p . --noEmit', 'eslint . --fix', 'jest --coverage', 'cargo build --release',
  'cargo test -- --nocapture', 'cargo clippy --all-targets -- -D warnings', 'go build -o app .', 'go test ./... -v -race', 'go build -ldflags "-X main.version=1" .', 'make -j4', 'make build VERSION=1.2.3', 'cmake -B build -DCMAKE_BUILD_TYPE=Release',
  'cmake --build build -j4', 'gcc -O2 -Wall -o a a.c -lm', 'mvn -q test', 'mvn clean package -DskipTests', './gradlew build', 'gradle build --no-daemon', 'curl -sS https://a.example/x', 'curl -fsSL https://a.example/x -o x',
  'curl -s -H "Accept: application/json" https://a.example', 'curl -w "%{http_code}" -o /dev/null -s https://a.example', 'wget -qO- https://a.example/x', 'wget -c https://a.example/x', 'rsync -avz --exclude node_modules a/ b/',
  'docker ps -a', 'docker build -t x .', 'docker compose up -d --build', 'docker compose logs -f --tail=100 web', 'docker logs -f --tail 100 x', 'docker run --rm -it alpine sh', 'docker exec -it x bash', 'kubectl get pods -n x -o wide',
  'kubectl logs -f x --tail=100', 'helm upgrade --install x ./chart -f v.yaml', 'terraform apply -auto-approve', 'gh pr create --title x --body y', 'gh api repos/a/b', 'systemctl --user restart x', 'journalctl -u nginx -n 100 --no-pager',
  'sudo apt-get update', 'brew install jq', "jq -r '.[] | .b' a", "awk -F, '{print $2}' a", 'less a', 'openssl x509 -in a.pem -noout -text', 'timeout 60 npm test', 'nice -n 10 make', 'env FOO=1 npm test',
  "sed ':a;N;$!ba;s/x/ /g' a", "sed -e '/foo/b' -e 's/a/b/' a", 'git merge feature/x', 'git rebase origin/main', 'git cherry-pick -s origin/x', 'shopt -s nullglob globstar; ls', 'x=5; y=$((x+1)); echo $y', 'tar --exclude=.git -czf a.tgz .', "rsync -a --filter=':- .gitignore' a/ b/",
  "awk '$3 > 5 {print $1}' a", "awk '{s+=$1} END {print s/NR}' a", "awk '{ if ($1 > 3) print $2; else print $3 }' a", "awk 'NR>1 && /foo/ {printf \"%s\\n\", $1}' a", "awk '{print ($1+$2)/2, $3/4}' a", "awk '!seen[$0]++' a", "awk '{gsub(/\"/, \"\"); print}' a",
  "awk '$1 ~ /^a[b]c/ {print n \"|\" $1}' a", "awk '/start/,/end/ {print; print $2}\n$3 > 4 {print}' a", 'CGO_ENABLED=0 go build', 'GOOS=linux GOARCH=arm64 go build'
]

/** Small programs that run, write or read something, however they hide it. */
export const scripts = [
  "sed -l 5 '1e id' a", "sed -E -l 1 '1e id' a", "sed 'b;e id' a", "sed 'b x;e id' a", "sed ':a;e id' a", "sed ':a e id' a", "sed 't;e id' a", "sed 'T x;e id' a", "sed 'b a}e id' a", "sed -n '/x/b;1w y' a", "sed ':a\ne id' a",
  "awk 'BEGIN{print \"x\" |$1}' a", "awk '{print |x}' a", "awk '{print \"a;b\" > \"x\"}' a", "awk '{print \"}\" > \"x\"}' a", "awk '{print $1,\n$2 > \"x\"}' a", "awk '{print a ? b :\nc > \"x\"}' a", "awk '{x=\"sys\" \"tem\"; @x(\"id\")}' a", "gawk '@load \"x\"' a",
  "awk '{if(x) /\"/; print \"y\" > \"z\"}' a", "awk '{x++ /\"/; print \"y\" > \"z\"}' a", "awk '{length /\"/; print \"y\" > \"z\"}' a", "awk '/[/\"]/{print \"y\" > \"z\"}' a", "awk -F : -v x=1 '{system(\"id\")}' a", "awk -F '\"' '{print > \"z\"}' a",
  "awk --source='{system(\"id\")}' a", "awk -- '{system(\"id\")}' a", "awk '{print 1 /2/ 3 > \"x\"}' a"
]
