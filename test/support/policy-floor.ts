/* eslint-disable no-template-curly-in-string -- these are command lines */

/** Commands that never run: not when approved, not with yolo, not inside the sandbox. */
export const floor: Record<string, string[]> = {
  'system and home folders': [
    'rm -rf /', 'rm -rf /*', 'rm -fr --no-preserve-root /', 'rm -r -f /etc', 'rm --recursive /usr', 'rm -rf //', 'rm -rf /./../', 'sudo rm -rf /var', 'rm -rf ~', 'rm -rf ~/', 'rm -rf ~/*', 'rm -rf "$HOME"', 'rm -rf ${HOME}/.*',
    'rm -rf /home/bob', 'rm -rf ~/.svc', 'rm -rf ..', 'cd / && rm -rf *', 'rm -rf ~root', 'cd ~ && rm -rf .*', 'rm -rf /{etc,usr}', 'rm -rf -- /', 'rm -rf ~ann', 'HOME=/etc; rm -rf ~', 'pushd / && rm -rf ./*',
    'find / -delete', 'find / -exec rm -rf {} +', "find / -exec sh -c 'rm -rf \"$1\"' _ {} \\;", 'find ~ -type f -delete', 'chmod -R 777 /', 'chown -R nobody /etc', 'mv ~ /tmp/x', 'mv /* x', 'rsync -a --delete empty/ /', 'env -C / rm -rf etc', 'sudo -D / rm -rf etc',
    'rm -rf /???', "sh -c '((rm -rf /))'", 'jobs -x rm -rf /', 'rm -[r]f /', 'rm [-]rf /', 'rm -? /', 'rm -f[r] ~', 'chmod -[R] 777 /', 'rm -rf /e[t]c', 'rm -rf /va?/l*', 'rm -rf /home/*/', 'rm -rf /home/a*', 'rm -rf /usr/b*', 'chmod -R 777 /[a-z]*'
  ],
  'system and home folders, through the links of processes in /proc': [
    ...['self', 'thread-self', 'self/task/1', '1', '99999999', '$$', '$PPID', '*', '[0-9]*', '1/task/1', '$(pidof node)'].map((process) => `rm -rf /proc/${process}/root/etc`), 'rm -rf /proc/self/root/', 'rm -rf /proc/self/root/*', 'rm -rf /pr?c/self/root/etc',
    'rm -rf /proc/self/roo?/etc', 'rm -rf /proc/self/*/etc', 'rm -rf /proc/self/cwd/..', 'rm -rf /proc/self/cwd/../../..', 'rm -rf /proc/self/cwd/../../../etc', 'cd /; rm -rf /proc/self/cwd/etc', 'cd /proc/self/root && rm -rf etc', 'cd /proc/1/root && rm -rf etc', 'cd /proc/self && rm -rf root/etc',
    'env -C / rm -rf /proc/self/cwd/etc', 'rm -rf /proc/1/cwd/..', 'rm -rf /proc/$$/cwd/', 'rm -rf /dev/fd/3/ 3< /etc', 'exec 3< /etc; rm -rf /proc/self/fd/3/*', 'rm -rf x/../../../../proc/self/root/etc', 'rm -rf /proc/self/root/proc/1/root/usr', 'chmod -R 777 /proc/self/root',
    'mv /proc/1/root/etc x', 'find /proc/self/root/ -delete', 'find /dev/fd/3/ -delete', 'dd if=/dev/zero of=/proc/1/root/dev/sda', 'echo > /proc/self/root/dev/sda', 'rm /proc/1/root/home/ann/.svc/webui/app.db', 'rm /proc/self/cwd/../.svc/webui/app.db', '/proc/self/root/bin/rm -rf /etc'
  ],
  'names and words in disguise': [
    'r""m -rf /', '\\rm -rf /', '/bin/rm -rf /', '/usr/bin/../bin/rm -rf /', '../../../bin/rm -rf /', "$'\\x72m' -rf /", 'r\\\nm -rf /', '{rm,-rf,/}', 'rm${IFS}-rf${IFS}/', 'X=/; rm -rf $X', 'X=rm; $X -rf /', 'X="rm -rf /"; $X', '$(echo rm) -rf /', '${X:-rm} -rf /',
    'X=; $X rm -rf /', '$SUDO rm -rf /', 'for d in /bin /etc; do rm -rf "$d"; done', 'echo x；rm; rm -rf /'
  ],
  'other programs start it': [
    'env -i rm -rf /', 'env -S "rm -rf /"', "env -S'rm -rf /'", 'nohup nice -n 5 rm -rf /', 'busybox rm -rf /', 'flock lock rm -rf /', 'flock lock -c "rm -rf /"', 'watch "rm -rf /"', 'script -c "rm -rf /" log', 'bash -c "rm -rf /"', "sh -c 'sudo sh -c \"rm -rf /\"'",
    "bash -c 'rm -rf \"$1\"' _ /", "bash -c 'rm -rf \"$@\"' _ a /", 'poetry run rm -rf /', 'npx rm -rf /', 'ssh host rm -rf /', "ssh host 'rm -rf /'", 'su -c "rm -rf /"', 'runuser -u bob -- rm -rf /', 'ls | xargs -I{} rm -rf /', 'echo / | xargs rm -rf', 'echo / | xargs -I{} rm -rf {}',
    'parallel rm -rf ::: /', "parallel ::: 'rm -rf /'", 'git submodule foreach "rm -rf /"', 'git rebase -x "rm -rf /" main', "git -c alias.x='!rm -rf /' x", "tar xf a --to-command='rm -rf /'", "fish -c 'rm -rf /'", 'exec rm -rf /', 'command rm -rf /', 'git bisect run rm -rf /'
  ],
  'the shell runs it': [
    'echo hi; rm -rf /', 'true && (rm -rf /)', 'echo $(rm -rf /)', 'echo `rm -rf /`', 'echo $(( $(rm -rf /) ))', 'cat <(rm -rf /)', 'cat <<EOF\n$(rm -rf /)\nEOF', 'X[$(rm -rf /)]=1', "let 'x[$(rm -rf /)]'", 'eval "rm -rf /"', 'trap "rm -rf /" EXIT', 'trap -- "rm -rf /" EXIT', 'coproc rm -rf /',
    'alias x="rm -rf /"', 'f() { rm -rf /; }; f', 'f() { rm -rf "$1"; }; f /', 'f() { "$@"; }; f rm -rf /', 'set -- rm -rf /; "$@"', 'if true; then rm -rf /; fi', 'rm -rf / ; if true', 'case x in y) ls;& *) rm -rf /;; esac', '! time -p rm -rf /', '[[ $(rm -rf /) ]]', 'rm -rf / # harmless', 'ls \\\n; rm -rf /'
  ],
  'it comes as text': [
    "echo 'rm -rf /' | bash", 'echo cm0gLXJmIC8K | base64 -d | bash', "bash <<'EOF'\nrm -rf /\nEOF", "cat <<'EOF' | sh\nrm -rf /\nEOF", 'bash <<< "rm -rf /"', '. /dev/stdin <<< "rm -rf /"', '( bash ) <<< "rm -rf /"', "printf 'rm -rf /' | sudo sh", "echo 'rm -rf /' | tee | sh", "echo 'rm -rf /' | at now"
  ],
  'the service itself': [
    ...['rm ~/.svc/webui/app.db', 'rm -rf ~/.svc/webui/*', 'rm ~/.svc/w*/app.db', 'rm ~/.svc/webui/"$X"', 'touch ~/.svc/webui/"$X"/y', 'rm ~/.sv?/webui/*.db', 'rmdir ~/.svc/webui/x', 'unlink ~/.svc/webui/app.db', 'shred ~/.svc/webui/app.db', 'truncate -s 0 ~/.svc/webui/app.db',
      'mv ~/.svc/webui/app.db /tmp', 'mv x ~/.svc/webui/app.db', 'mv -t ~/.svc/webui x', 'mv ~/.svc/webui x', 'mv ~/.svc x', 'cp x ~/.svc/webui/', 'cp --target-directory=$HOME/.svc/webui x', 'install x ~/.svc/webui/y', 'ln -sf x ~/.svc/webui/app.db',
      'echo > ~/.svc/webui/app.db', 'echo >> ../.svc/webui/app.db', ': >| "$HOME/.svc/webui/app.db"', 'make &> ~/.svc/webui/log', 'tee ~/.svc/webui/app.db', 'dd if=x of=/home/ann/.svc/webui/app.db', 'touch ~/.svc/webui/x', 'mkdir ~/.svc/webui/x',
      'chmod 000 ~/.svc/webui', 'chmod -R u-w ~/.svc', 'chown nobody ~/.svc/webui/app.db', 'chattr +i ~/.svc/webui/app.db', 'setfacl -m u:bob:rwx ~/.svc/webui', 'sed -i s/a/b/ ~/.svc/webui/x', "perl -pi -e 's/a/b/' ~/.svc/webui/x", 'sort -o ~/.svc/webui/app.db x',
      'uniq x ~/.svc/webui/y', 'find ~/.svc/webui -name x -delete', 'find ~/.svc/webui -exec truncate -s 0 {} +', "find ~/.svc/webui -type f -exec sh -c 'rm \"$1\"' _ {} \\;", 'cd ~/.svc/webui && rm app.db', 'cd ~/.svc/webui && git clean -fdx',
      'git -C ~/.svc/webui clean -f', 'git --config-env x.y=HOME -C ~/.svc/webui clean -f', 'cd ~/.svc/webui && git --config-env x.y=HOME clean -f', 'git --shallow-file /dev/null -C ~/.svc/webui clean -f', 'git --attr-source HEAD -C ~/.svc/webui clean -f', 'git -C ~/.svc/webui reset --hard', 'git --work-tree ~/.svc/webui checkout -f', 'cd ~ && git clean -fdx', 'cd ~/.svc && git stash -u', 'git clone x ~/.svc/webui/y', 'tar -xf x.tar -C ~/.svc/webui', 'tar xzf x.tgz --directory=/home/ann/.svc/webui', 'cd ~/.svc/webui; tar xf x',
      'tar -cf ~/.svc/webui/app.db x', 'unzip x -d ~/.svc/webui', 'rsync -a x/ ~/.svc/webui/', 'rsync -a --delete x/ ~/.svc/', 'rsync -a --remove-source-files ~/.svc/webui/ x', 'sqlite3 ~/.svc/webui/app.db "delete from sessions"', 'curl -o ~/.svc/webui/app.db https://a.example', 'wget -P ~/.svc/webui https://a.example',
      'cd ~/.svc/webui && curl -O https://a.example/x', 'echo ~/.svc/webui/app.db | xargs rm', 'X=~/.svc/webui; rm -f $X/app.db', 'sudo rm ~/.svc/webui/app.db', 'bash -c "rm ~/.svc/webui/app.db"', 'vim -c wq ~/.svc/webui/x', 'gzip ~/.svc/webui/app.db', 'mount --bind x ~/.svc/webui', 'rm /srv/service/dist/server.js',
      'rm -rf /srv/service/node_modules', 'rm -rf /srv/service', 'mv /srv/service x', 'echo > /srv/service/dist/server.js', 'sed -i s/a/b/ /srv/service/dist/server.js', 'cd /srv/service && rm -rf dist']
  ],
  'the service itself, by programs of which nobody knows what they do to it': [
    'git diff --output=~/.svc/webui/x', 'git diff --output ~/.svc/webui/x', 'git log --output=../.svc/webui/x', 'git log --outp=/home/ann/.svc/webui/x', 'git archive -o ~/.svc/webui/x HEAD', 'git format-patch -o ~/.svc/webui HEAD~1', 'git bundle create ~/.svc/webui/x --all',
    'git checkout-index -a --prefix=/home/ann/.svc/webui/', 'GIT_WORK_TREE=~/.svc/webui git clean -fdx', 'env GIT_WORK_TREE=/home/ann/.svc/webui git clean -fdx', 'export GIT_WORK_TREE=~/.svc/webui; git clean -fdx', 'make -C ~/.svc/webui clean', 'openssl rand -out ~/.svc/webui/x 8',
    'ffmpeg -i x ~/.svc/webui/x', 'pandoc -o ~/.svc/webui/x y', 'pandoc -o/home/ann/.svc/webui/x y', 'rclone sync e ~/.svc/webui', 'gio trash ~/.svc/webui/x', 'find ~/.svc -name service.db -delete', "find ~ -name '*.db' -delete", 'find ~ -mtime +1 -delete', 'find ~ -name service.db -exec truncate -s 0 {} +',
    'sqlite3 x ".backup /home/ann/.svc/webui/x"', "sqlite3 -readonly x '.backup ../.svc/webui/x'", "sqlite3 x <<< '.backup /home/ann/.svc/webui/x'", "sed -n 'w /home/ann/.svc/webui/x' f", "sed -n 'w../.svc/webui/x' f", "awk '{print > \"/home/ann/.svc/webui/x\"}' f",
    // The same with other programs.
    "python -c 'open(\"/home/ann/.svc/webui/x\", \"w\")'", "python <<'EOF'\nopen('/home/ann/.svc/webui/x', 'w')\nEOF", "perl -e 'unlink \"/home/ann/.svc/webui/x\"'", "node -e 'fs.rmSync(\"/srv/service/dist\")'", 'cd ~/.svc/webui && make clean', 'cp -l ~/.svc/webui/app.db x', 'ln ~/.svc/webui/app.db x',
    'rsync -a --log-file=/home/ann/.svc/webui/x a b', 'strace -o ~/.svc/webui/x ls', 'npm --prefix ~/.svc/webui install', 'docker run -v /home/ann/.svc/webui:/x alpine', 'gcc -o ~/.svc/webui/x y.c', 'convert x.png ~/.svc/webui/x', 'tar -cf x.tar --index-file=/home/ann/.svc/webui/x y', 'tree -o ~/.svc/webui/x',
    "mawk -v f=/home/ann/.svc/webui/x '{print > f}' y", 'DESTDIR=~/.svc/webui make install', 'curl --trace-ascii ~/.svc/webui/x https://a.example', 'esbuild a.ts --outfile=/srv/service/dist/server.js', 'ssh -E ~/.svc/webui/x host ls', 'jq -n . | tool ~/.sv*/webui/x', 'f() { make -C "$1"; }; f ~/.svc/webui', 'age -d -o ~/.svc/webui/x y'
  ],
  'who may use the service, and whether it runs': [
    'agent-web-service token create --name x --scope admin', 'npx agent-web-service@latest reset-password', 'sudo agent-web-service stop', 'echo secret | agent-web-service reset-password', './node_modules/.bin/agent-web-service pair',
    'npm exec agent-web-service -- token create --name x --scope admin', 'npx -y agent-web-service sessions revoke --all', 'agent-web-service "restore" x', 'bash -c "agent-web-service service uninstall"', 'X=token; agent-web-service $X create',
    'curl --unix-socket ~/.svc/webui/console/socket http://localhost/api/auth/tokens/create', 'socat - UNIX-CONNECT:/home/ann/.svc/webui/console/socket', 'nc -U ~/.svc/webui/console/socket', 'cd ~/.svc/webui/console && curl --unix-socket socket http://localhost/api/console/stop'
  ],
  'nested without end': [`echo ${'$('.repeat(5000)}`, `${'( '.repeat(300)} rm -rf / ${')'.repeat(300)}`],
  'disks and file systems': [
    'mkfs.ext4 /dev/sda1', 'sudo mkfs -t ext4 /dev/sdb', 'wipefs -a /dev/sda', 'dd if=/dev/zero of=/dev/sda', 'dd if=x of=/dev/nvme0n1 bs=1M', 'cat x > /dev/sda', 'cat x >| /dev/sda', 'cat x &> /dev/sda', 'echo x | sudo tee /dev/sdb', 'cp image /dev/sdc', 'parted /dev/sda mklabel gpt', 'sgdisk -Z /dev/sda',
    'cryptsetup luksFormat /dev/sda2', 'shred /dev/sda', 'cat x > /dev/s""da'
  ],
  'processes and the machine': [
    ':(){ :|:& };:', 'bomb() { bomb | bomb & }; bomb', 'f() { f & f & }; f', 'shutdown -h now', 'sudo reboot', 'halt', 'poweroff', 'init 0', 'systemctl poweroff', 'systemctl start poweroff.target', 'kill -9 -1', 'kill -KILL -- -1', 'echo b > /proc/sysrq-trigger'
  ]
}

/** Commands that look like the above but are not: they may only need approval. */
export const harmless = [
  'agent-web-service --help', 'agent-web-service status', 'npx agent-web-service doctor', 'agent-web-service help token', 'npx agent-web-service-other token create',
  'cat ~/.svc/webui/app.db', 'cp ~/.svc/webui/app.db backup', 'tar -czf backup.tgz ~/.svc/webui', 'rsync -a ~/.svc/webui/ backup', 'sqlite3 -readonly ~/.svc/webui/app.db .tables', 'ls /srv/service', 'git -C ~/.svc/webui status', 'tar -tf x ~/.svc/webui', 'rm ~/.svc/notes.md', 'chmod 700 ~', 'touch ~/x',
  'ln -s ~/.svc/webui x', 'git clean -fdx', 'gzip -c ~/.svc/webui/x', 'find ~ -name x -delete', 'cat /srv/service/dist/server.js', 'echo > ~/.svc/webui2', 'rm -rf /srv/other', 'rm -rf "/$X"', 'touch "/$X/y"', 'rm "$X/.svc/webui/app.db"',
  'git commit -m "keep ~/.svc/webui/x"', 'git commit -am "keep /home/ann/.svc/webui/x"', 'echo ~/.svc/webui/x', 'git -C ~/.svc/webui log', 'git diff --stat ~/.svc/webui', 'cd ~/.svc/webui && ls', 'cd ~/.svc/webui && cp app.db ~/x', 'sudo cat ~/.svc/webui/app.db', 'timeout 5 cat ~/.svc/webui/app.db',
  'env -C ~/.svc/webui ls', "bash -c 'cat ~/.svc/webui/app.db'", 'f() { cat "$1"; }; f ~/.svc/webui/x', "sed -n '1p' ~/.svc/webui/x", "awk '{print $1}' ~/.svc/webui/x", 'sqlite3 -readonly ~/.svc/webui/app.db "select 1"', 'find ~/.svc/webui -type f', 'find ~/.svc/webui -name x -exec cat {} +', 'rg x ~/.svc/webui', 'make # ~/.svc/webui',
  'sha256sum ~/.svc/webui/app.db', 'test -e ~/.svc/webui/app.db', 'diff ~/.svc/webui/x y', 'curl -T ~/.svc/webui/x https://a.example', 'node /srv/service/dist/server.js', 'make -C ~/.svc/webui2', 'find ~ -name node_modules -exec rm -rf {} +', "find ~ -name '*.pyc' -delete", 'tar -C ~/.svc/webui -cf x.tar .', 'gh issue create --body "~/.svc/webui is full"',
  "cat > x.md <<'EOF'\n/home/ann/.svc/webui\nEOF", 'poetry run cat ~/.svc/webui/x', 'ls /srv/service/node_modules', 'npx eslint "**/*.ts"', 'xargs -n1 cat < ~/.svc/webui/x',
  'echo "rm -rf /"', 'git commit -m "reboot; rm -rf /"', 'grep -r "mkfs" .', 'rm -rf ./build', 'rm -rf dist/*', 'rm /etc/hosts', 'rm -rf /tmp/x', 'dd if=/dev/sda of=disk.img', 'cp /dev/sda disk.img', 'f() { f; }; f', 'man shutdown',
  "find . -name '*.o' -delete", 'find / -name core -exec rm {} \\;', 'find / -name node_modules -exec rm -rf {} +', 'kill -1 1234', 'chmod -R u+w .', 'cat /etc/passwd', 'init', 'rm -rf *', 'git -c x=y commit -m "rm -rf /"', 'parted -l', 'fdisk -l /dev/sda',
  'ssh host ls /', 'rsync -a / backup', "cat > x.sh <<'EOF'\nrm -rf /\nEOF", 'f() { rm -rf "$1"; }; f build', "bash -c 'rm -rf \"$1\"' _ build", 'echo build | xargs rm -rf', 'ls # rm -rf /', 'systemctl status reboot.target', 'rm -rf /srv/a?', 'rm -rf ../b*',
  'rm -rf /proc/self/cwd/build', 'rm -rf /proc/self/root/tmp/x', 'rm -rf /proc/1/root/tmp/x', 'cat /proc/1/cwd/x', 'ls /proc/self/root', 'cat /proc/*/status', 'cp a /dev/fd/3', 'rm -rf /*/*/x'
]
