/** Options of programs for files, texts and addresses that run nothing and send nothing to another place; see Spelling. */

const tar = `-AcdrtuxGnSkUWOmpsBiajJzZhPlRvwo -gCXfbHVKN: --catenate --concatenate --create --delete --diff --compare --append --test-label --list --update
  --extract --get --listed-incremental= --incremental --ignore-failed-read --sparse --add-file= --directory= --exclude= --exclude-backups
  --exclude-caches --exclude-caches-all --exclude-ignore= --exclude-tag= --exclude-vcs --exclude-vcs-ignores --null --recursion --exclude-from=
  --anchored --ignore-case --wildcards --wildcards-match-slash --keep-directory-symlink --keep-newer-files --keep-old-files --one-top-level?
  --overwrite --overwrite-dir --recursive-unlink --remove-files --skip-old-files --unlink-first --verify --to-stdout --atime-preserve? --clamp-mtime
  --delay-directory-restore --group= --mode= --mtime= --touch --same-owner --same-permissions --numeric-owner --owner= --preserve-permissions --sort=
  --preserve-order --acls --selinux --xattrs --force-local --file= --blocking-factor= --ignore-zeros --format= --posix --auto-compress --bzip2 --xz
  --lzip --lzma --zstd --gzip --gunzip --ungzip --compress --uncompress --dereference --hard-dereference --starting-file= --newer-mtime= --newer=
  --after-date= --one-file-system --absolute-names --suffix= --strip-components= --transform= --xform= --checkpoint? --full-time --check-links
  --block-number --show-transformed-names --show-stored-names --totals? --utc --verbose --warning= --interactive --confirmation --help --version`
const ssh = '-46CfGgkNnqTtvVx -bcDilmpQRLwBoJ:'
const editor = '-RnbMmyZdeEvh -oOp? --version --help --clean --noplugin'
const browser = '-aAcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX~ --quit-if-one-screen --RAW-CONTROL-CHARS --raw-control-chars --chop-long-lines --LINE-NUMBERS ' +
  '--no-init --quit-at-eof --ignore-case --IGNORE-CASE --squeeze-blank-lines --version --help --use-color --mouse'
const compiler = new RegExp('^-(?:[cSEgwvsP]|o.*|O\\w*|g\\w*|W(?!l,|p,|a,|rapper)[\\w=+-]*|Wl,(?:-(?:rpath|soname|z|O\\d|Bstatic|Bdynamic|Map|s|x)|' +
  '--(?:as-needed|no-as-needed|gc-sections|start-group|end-group|export-dynamic))(?:[,=][^,@-][^,]*(?:,[^,@-][^,]*)*)?|I.+|L.+|l.+|D.*|U.+|std=[\\w+]+|' +
  'f(?!plugin|pass-plugin)[\\w=+,.:-]+|m(?!llvm)[\\w=+,.-]+|pthread|shared|static|pipe|pedantic|ansi|M[MDPFTQ]*|x|include|isystem|idirafter|' +
  'rdynamic|nost\\w+|dumpversion|dumpmachine|print-[\\w-]+(?:=.*)?|-version|-help|-sysroot=.*|###)$', 's')
const sed = new RegExp('^(?:-[nErsuz]*(?:e.*|i(?:\\.\\w+|~)?|l\\d+)?|--(?:quiet|silent|debug|expression(?:=.*)?|follow-symlinks|in-place(?:=\\.\\w+)?|' +
  'line-length=\\d+|posix|regexp-extended|separate|sandbox|unbuffered|null-data|help|version))$', 's')
const tex = '= -interaction: -halt-on-error -file-line-error -output-directory: -output-format: -jobname: -draftmode -synctex: -recorder -version -help'
const awk = '-F: -v: -bcCOPrSMk --field-separator= --assign= --posix --re-interval --csv --help --version --sandbox --characters-as-bytes -e: --source='
const database = '-tBNsEHXvwAr -ehuPDp? --execute= --host= --user= --port= --database= --table --batch --silent --vertical --skip-column-names --raw --version'
const http = '-hbvjfIFd -aopsA: --json --form --headers --body --verbose --auth= --auth-type= --output= --print= --style= --pretty= --timeout= --check-status ' +
  '--ignore-stdin --download --follow --all --offline --version --help --multipart --raw='
const find = `= -H -L -P -maxdepth: -mindepth: -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -type: -xtype: -size: -empty
  -user: -group: -uid: -gid: -perm: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -newer: -anewer: -cnewer: -newermt: -newerct: -neweram: -newermm:
  -links: -inum: -samefile: -lname: -ilname: -fstype: -nouser -nogroup -readable -writable -executable -true -false -print -print0 -printf: -ls -prune
  -quit -delete -depth -d -xdev -mount -daystart -follow -noleaf -ignore_readdir_race -nowarn -warn -o -a -or -and -not -used: -fprint: -fprint0: -fls:
  -fprintf: -O0 -O1 -O2 -O3 --help -version --version`
const curl = `-qfgGI0ik46lLMnNZORSs231BvVaj# -EbcdDFHhmoQreXYyztTuAwC: --anyauth --append --aws-sigv4= --basic --cacert= --capath= --cert= --cert-status
  --cert-type= --ciphers= --compressed --connect-timeout= --continue-at= --cookie= --cookie-jar= --create-dirs --create-file-mode= --crlf --curves=
  --data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --digest --dump-header= --etag-compare= --etag-save= --expect100-timeout= --fail
  --fail-early --fail-with-body --form= --form-escape --form-string= --ftp-create-dirs --ftp-pasv --get --globoff --happy-eyeballs-timeout-ms= --head
  --header= --help? --hostpubmd5= --http0.9 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --ignore-content-length --include --insecure
  --ipv4 --ipv6 --json= --junk-session-cookies --keepalive-time= --key= --key-type= --limit-rate= --list-only --location --max-filesize= --max-redirs=
  --max-time= --negotiate --netrc --netrc-file= --netrc-optional --next --no-alpn --no-buffer --no-clobber --no-keepalive --no-progress-meter
  --no-sessionid --ntlm --oauth2-bearer= --output= --output-dir= --parallel --parallel-immediate --parallel-max= --pass= --path-as-is --pinnedpubkey=
  --post301 --post302 --post303 --progress-bar --progress-meter --proto= --proto-default= --proto-redir= --quote= --range= --rate= --raw --referer=
  --remote-name --remote-name-all --remote-time --remove-on-error --request= --request-target= --retry= --retry-all-errors
  --retry-connrefused --retry-delay= --retry-max-time= --show-error --show-headers --silent --speed-limit= --speed-time= --ssl --ssl-reqd --stderr=
  --styled-output --tcp-fastopen --tcp-nodelay --time-cond= --tls-max= --tls13-ciphers= --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding
  --trace= --trace-ascii= --trace-time --trace-ids --upload-file= --url= --url-query= --use-ascii --user= --user-agent= --verbose --version
  --write-out= --xattr --disable`
const wget = `-VhbdqvcNSFxErkKpmL46 -PUloaOtTQwARIXni: !-e: --quiet --verbose --no-verbose --report-speed= --no-config --retry-connrefused
  --retry-on-http-error= --no-clobber --no-netrc --start-pos= --progress= --show-progress --no-if-modified-since --no-use-server-timestamps --spider
  --timeout= --dns-timeout= --connect-timeout= --read-timeout= --wait= --waitretry= --random-wait --no-proxy --limit-rate= --no-dns-cache
  --restrict-file-names= --ignore-case --prefer-family= --user= --password= --no-iri --local-encoding= --remote-encoding= --no-directories
  --no-host-directories --protocol-directories --cut-dirs= --http-user= --http-password= --no-cache --default-page= --ignore-length --header=
  --compression= --max-redirect= --referer= --save-headers --no-http-keep-alive --no-cookies --load-cookies= --save-cookies= --keep-session-cookies
  --post-data= --post-file= --method= --body-data= --body-file= --content-on-error --auth-no-challenge --secure-protocol=
  --https-only --no-check-certificate --certificate= --certificate-type= --private-key= --ca-certificate= --ca-directory= --pinnedpubkey= --ciphers=
  --no-hsts --no-parent --delete-after --accept= --reject= --accept-regex= --reject-regex= --regex-type= --output-document= --output-file=
  --append-output= --directory-prefix= --tries= --continue --timestamping --server-response --recursive --level= --convert-links --mirror
  --page-requisites --adjust-extension --quota= --user-agent= --input-file= --inet4-only --inet6-only --force-directories --background --version
  --help --backups? --backup-converted --no-glob --relative --include-directories= --exclude-directories= --debug --no-if-modified-since`
const rg = `-bsclFLhivnxUIN0oPpqzSauVHw. -ABCEfgMmerjtTd: --after-context= --auto-hybrid-regex --before-context= --binary --block-buffered --byte-offset
  --case-sensitive --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding=
  --engine= --field-context-separator= --field-match-separator= --file= --files --files-with-matches --files-without-match --fixed-strings --follow
  --glob= --glob-case-insensitive --help --heading --hidden --iglob= --ignore --ignore-case --ignore-file= --include-zero --invert-match --json
  --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --mmap
  --multiline --multiline-dotall --no-config --filename --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files
  --no-ignore-global --no-ignore-parent --no-ignore-vcs --messages --no-require-git --no-unicode --null --null-data --one-file-system
  --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --regex-size-limit= --regexp= --replace= --search-zip --smart-case --sort=
  --sortr= --stats --text --threads= --trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --version --vimgrep
  --with-filename --word-regexp`
const rsync = `-vqarlRbudLkKHpEAXogDtOJSnWxmCIziyPhcs046F -BTf: --verbose --quiet --archive --recursive --relative --backup --suffix= --update --inplace
  --append --append-verify --dirs --mkpath --links --copy-links --copy-unsafe-links --safe-links --copy-dirlinks --keep-dirlinks --hard-links --perms
  --executability --chmod= --acls --xattrs --owner --group --devices --specials --times --omit-dir-times --omit-link-times --sparse --dry-run
  --whole-file --one-file-system --block-size= --existing --ignore-existing --remove-source-files --del --delete --delete-before --delete-during
  --delete-delay --delete-after --delete-excluded --ignore-errors --force --max-delete= --max-size= --min-size= --partial --partial-dir=
  --delay-updates --prune-empty-dirs --numeric-ids --timeout= --contimeout= --ignore-times --size-only --modify-window= --temp-dir= --fuzzy
  --compare-dest= --copy-dest= --link-dest= --compress --compress-level= --skip-compress= --cvs-exclude --filter= --exclude= --exclude-from=
  --include= --include-from= --files-from= --from0 --stats --human-readable --progress --itemize-changes --out-format= --list-only --bwlimit=
  --checksum --version --help --ipv4 --ipv6 --info= --super --chown= --open-noatime --backup-dir= --protect-args --secluded-args`

export const shellOptions: Readonly<Record<string, string | RegExp>> = {
  ...Object.fromEntries(['tar', 'gtar', 'bsdtar'].map((name) => [name, tar])),
  ...Object.fromEntries(['vim', 'vi', 'nvim', 'ex', 'view', 'rview', 'rvim', 'gvim', 'gview', 'vimdiff'].map((name) => [name, editor])),
  ...Object.fromEntries(['less', 'zless', 'zmore'].map((name) => [name, browser])),
  ...Object.fromEntries(['cc', 'c++', 'gcc', 'g++', 'clang', 'clang++'].map((name) => [name, compiler])),
  ...Object.fromEntries(['tex', 'latex', 'pdftex', 'pdflatex', 'xetex', 'xelatex'].map((name) => [name, tex])),
  ...Object.fromEntries(['awk', 'gawk', 'mawk'].map((name) => [name, awk])),
  ...Object.fromEntries(['mysql', 'mariadb'].map((name) => [name, database])),
  ...Object.fromEntries(['http', 'https', 'xh'].map((name) => [name, http])),
  sed,
  find,
  curl,
  wget,
  rg,
  rsync,
  ssh,
  scp: '-346CpqrTvBO -ciPlo:',
  sftp: '-46Cpqrv -iPlo:',
  sort: `-bdfgiMhnRrVmsuzcC -kotST: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort
    --human-numeric-sort --numeric-sort --random-sort --random-source= --reverse --sort= --version-sort --batch-size= --check? --debug --files0-from=
    --key= --merge --output= --stable --buffer-size= --field-separator= --temporary-directory= --parallel= --unique --zero-terminated --help --version`,
  split: `-dxeu -abClnt: --suffix-length= --additional-suffix= --bytes= --line-bytes= --numeric-suffixes? --hex-suffixes? --elide-empty-files --lines=
    --number= --separator= --unbuffered --verbose --help --version`,
  zip: '-rqvjumoDXyelgFSdf0123456789 -xinPbs: --recurse-paths --quiet --exclude= --include= --verbose --junk-paths --move --symlinks --version --help',
  man: '-dDfkKwWaiIu7V -sSeLEm: -l --debug --whatis --apropos --where --path --location --locale= --sections= --all --encoding= --version --help --local-file',
  bat: `-pnAfduSV -lrHm: --plain --number --language= --line-range= --highlight-line= --style= --color= --paging= --theme= --wrap= --tabs= --show-all
    --force-colorization --decorations= --file-name= --diff --list-languages --list-themes --map-syntax= --squeeze-blank --version --help`,
  ag: `-aciHhlLnNoQRrsSuvVwWzg0 -ABCGmp: --count --ignore-case --smart-case --case-sensitive --literal --word-regexp --files-with-matches --hidden
    --ignore= --ignore-dir= --depth= --nocolor --color --nogroup --group --column --numbers --unrestricted --follow --vimgrep --stats --version`,
  ack: `-abcfghHiklLnorRsSvwx10 -ABCm: --ignore-case --word-regexp --files-with-matches --count --type= --ignore-dir= --ignore-file= --nocolor --color
    --nogroup --group --column --follow --literal --version --help`,
  fd: `-HIusigFLaplqV1 -dtejSoEc: --hidden --no-ignore --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path
    --list-details --follow --full-path --print0 -0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size= --changed-within=
    --changed-before= --owner= --color= --threads= --max-results= --quiet --base-directory= --strip-cwd-prefix? --one-file-system --version --help`,
  make: `-bmBdehikLnpqrRsStvw -CfIoW: -jlO? --always-make --directory= --debug? --environment-overrides --file= --makefile= --help --ignore-errors
    --include-dir= --jobs? --keep-going --load-average? --max-load? --check-symlink-times --just-print --dry-run --recon --old-file= --assume-old=
    --output-sync? --print-data-base --question --no-builtin-rules --no-builtin-variables --silent --quiet --stop --touch --trace --version
    --print-directory --what-if= --new-file= --assume-new= --warn-undefined-variables`,
  patch: '-lcnuNRETbtfsv -pFiorDVBYzd: --merge? --backup-if-mismatch --verbose --dry-run --posix --binary --forward --reverse --strip= --input= --output= ' +
    '--directory= --backup --force --batch --silent --quiet --fuzz= --ignore-whitespace --unified --reject-file= --version --help',
  install: '-bcCdDpTvZ -gmotS: --backup? --compare --directory --group= --mode= --owner= --preserve-timestamps --suffix= --target-directory= --no-target-directory --verbose',
  nm: '-aABDegjlnopPrSsuUWXV -ft: -C? --debug-syms --demangle? --dynamic --format= --extern-only --numeric-sort --no-sort --print-size --size-sort ' +
    '--undefined-only --defined-only --radix= --version --help',
  size: '-ABGotdxVhf --format= --radix= --common --totals --target= --version --help',
  yq: '-rCMPNjenvioV0 -pIx: --prettyPrint --inplace --null-input --raw-output --unwrapScalar? --output-format= --input-format= --no-colors --colors --indent= ' +
    '--no-doc --exit-status --tojson --version --help',
  delta: '-ns --side-by-side --line-numbers --dark --light --navigate --version --help',
  cloc: '--by-file --json --csv --yaml --md --quiet --exclude-dir= --include-lang= --exclude-lang= --exclude-ext= --vcs=git --version --help',
  glow: '-alsw: -w: -s: --width= --style= --version --help',
  ld: '-o: -L: -l: -r -s -shared --version --help',
  javac: `= -d: -cp: -classpath: --class-path: -sourcepath: -source: -target: --release: -g -Xlint* -encoding: -verbose -nowarn -parameters -deprecation -Werror
    --module-path: -p: --version -version`,
  cmake: `= -S* -B* -D* -G* -U* -A: -T: -Wdev -Wno-dev --build: --target: -t: -j* --parallel: --config: --install: --prefix: --preset: --list-presets
    --fresh --clean-first -v --verbose --component: -L -LA -LH -N --version --help --log-level: --warn-uninitialized`,
  rake: '-nqsvTPtWAD -fj? --tasks --trace? --quiet --silent --jobs? --dry-run --verbose --all --version --help',
  sqlite3: '= -header -noheader -csv -json -column -line -list -html -markdown -table -box -tabs -quote -ascii -readonly -separator: -newline: -nullvalue: -bail -batch -version -help',
  duckdb: '= -csv -json -readonly -c: -s: -box -markdown -line -list -header -noheader -column -separator: -nullvalue: -batch -bail -version -help',
  psql: `-AabeEHlnqsStVwWxX1z0 -cdhpUPFRT: --command= --dbname= --host= --port= --username= --no-align --tuples-only --quiet --no-psqlrc --expanded --csv
    --html --no-password --list --version --help --single-transaction --echo-errors --no-readline`,
  tcpdump: '-nvAXelqStDpUKN -icsrw: --version --help',
  tshark: '-nqVxlQD -irwYfTeczNdO: --version --help',
  wireshark: '-kn -irwYf: --version --help',
  emacs: '= -nw -Q -q --no-window-system --no-init-file --quick --version --help',
  emacsclient: '-tcnqu --tty --create-frame --no-wait --quiet --version --help',
  gdb: '= -q -quiet -nx -nh -batch -args --version --help',
  lldb: '--version --help -b --batch -n: -p:',
  gnuplot: '-pV --persist --version --help',
  nc: '-46bCdDhklnNrStuUvz -iIMmOpqsTVwWX: ',
  ncat: '-46luvCkntz -wipm: --listen --udp --verbose --keep-open --ssl --nodns --version --help',
  socat: '-dvhV -tTlbu? -D -u -U',
  fzf: '-eixm0123456789+ -dnfq: --filter= --query= --exact --multi? --height= --reverse --nth= --delimiter= --select-1 --exit-0 --no-sort --ansi --header= --prompt= --version --help',
  ctags: '-aeRuVxnN -fILo: --recurse? --languages= --exclude= --fields= --extras= --kinds-all= --version --help --list-languages --list-kinds? --append? --sort= --tag-relative= --links=',
  pandoc: '-spNiSv -ftorwVMHBAcT: --from= --to= --read= --write= --output= --standalone --toc --table-of-contents --toc-depth= --metadata= --variable= --wrap= ' +
    '--columns= --number-sections --citeproc --bibliography= --csl= --css= --highlight-style= --shift-heading-level-by= --mathjax? --katex? --embed-resources ' +
    '--self-contained --extract-media= --version --help --quiet --verbose --slide-level= --reference-doc= --title-prefix= --list-input-formats --list-output-formats',
  latexmk: '= -pdf -pdfxe -pdflua -c -C -f -g -silent -quiet -interaction: -halt-on-error -file-line-error -outdir: -output-directory: -cd -pv -pvc -synctex: -version -help',
  aria2c: '-dosxjk: -cqv --dir= --out= --split= --max-connection-per-server= --max-concurrent-downloads= --continue? --quiet? --file-allocation= --header= --user-agent= --checksum= --version --help?',
  'yt-dlp': '-FfxwciqvsgjeJ -fPoSr: --format= --list-formats --extract-audio --audio-format= --audio-quality= --output= --paths= --write-subs --write-auto-subs --sub-langs= ' +
    '--skip-download --no-playlist --yes-playlist --simulate --get-url --get-title --dump-json --print= --limit-rate= --retries= --quiet --no-warnings --no-progress --newline --version --help',
  nmap: '-nvdFrPARO6 -pT: -s? --open --top-ports= --version --reason --host-timeout= --max-retries=',
  expect: '-dv',
  cpio: '-oiptvdmuLc0 -H: --extract --create --pass-through --list --make-directories --preserve-modification-time --unconditional --verbose --null --format= --quiet --no-absolute-filenames',
  'nix-shell': '-p --pure --packages',
  tmux: '',
  screen: ''
}
