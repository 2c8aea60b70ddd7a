/**
 * Options of package managers and build tools that start no other program, and receive nothing from another place and send nothing there;
 * see Spelling.
 */

const node = `-gDEOBPSfsqdynlav -Cwm: --prefix= --workspace= --workspaces --loglevel= --silent --quiet --verbose --if-present --version --help --long --json
  --parseable --yes --offline --prefer-offline --prefer-online --no-install --no --save --save-dev --save-exact --save-optional --save-prod --save-peer
  --save-bundle --global --location= --legacy-peer-deps --force --omit= --include= --ignore-scripts --audit --fund --progress --package-lock
  --package-lock-only --production --only= --dry-run --depth= --all --include-workspace-root --install-strategy= --strict-peer-deps --tag= --access=
  --otp= --message= --audit-level= --foreground-scripts --engine-strict --prefer-dedupe --install-links --color? --unicode --timing --link --scope=
  !--registry= !--cache= !--userconfig= !--script-shell= !--node-options= !--globalconfig=`
const yarn = `-DEPOWsTA --cwd= --dev --exact --frozen-lockfile --immutable --silent --production --ignore-scripts --offline --non-interactive --json --verbose
  --force --peer --optional --check-files --prefer-offline --network-timeout= --version --help --ignore-workspace-root-check --mode= --interactive`
const pip = `-UqvIyloh -rcetdw: --upgrade --requirement= --constraint= --quiet --verbose --editable= --target= --user --deps --pre --no-cache-dir
  --force-reinstall --ignore-installed --build-isolation --disable-pip-version-check --break-system-packages --root-user-action= --dry-run --no-input
  --progress-bar= --only-binary= --no-binary= --prefer-binary --no-warn-script-location --format= --outdated --uptodate --local --not-required --all
  --yes --no-index --upgrade-strategy= --timeout= --retries= --python-version= --platform= --report= --no-compile --no-color --require-hashes --dest=
  --wheel-dir= --version --help !--proxy= !--log= !--cache-dir= !--python= !--index-url= !--extra-index-url= !-i: !--find-links= !--cert=`
const go = `= -o: -v -race -x -n -a -p: -tags: -mod: -modfile: -trimpath -cover -coverprofile: -covermode: -coverpkg: -count: -run: -bench: -benchtime: -benchmem
  -timeout: -short -failfast -json -list: -parallel: -cpu: -shuffle: -skip: -fuzz: -fuzztime: -u -d -t -f: -m -e -deps -test -find -msan -asan
  -buildmode: -buildvcs: -work -C: -ldflags:: -gcflags:: -w -l -s -func: -html: -cpuprofile: -memprofile: -args`
const cargo = `-rvqVdfh -pFjieDWA: --release --package= --workspace --all --exclude= --lib --bin= --bins --example= --examples --test= --tests --bench= --benches
  --all-targets --features= --all-features --no-default-features --target= --target-dir= --jobs= --keep-going --profile= --message-format= --no-run
  --no-fail-fast --doc --manifest-path= --ignore-rust-version --timings? --open --no-deps --document-private-items --fix --allow-dirty --allow-staged
  --check --invert= --depth= --edges= --prefix= --duplicates --dry-run --vcs= --edition= --name= --dev --build --optional --rename= --path= --branch=
  --tag= --rev= --version? --vers= --force --root= --list --aggressive --precise= --locked --offline --frozen --color= --quiet --verbose --git= --help`
const system = `-yqVfsduva -tx: --yes --quiet? --install-recommends --install-suggests --fix-missing --fix-broken --dry-run --simulate --only-upgrade --reinstall
  --purge --auto-remove --autoremove --target-release= --assume-yes --assumeyes --assumeno --download-only --allow-downgrades --show-progress --installed
  --upgradable --all-versions --refresh --best --allowerasing --version --help --exclude= !-o: !-c: !--option= !--config-file= !--config= !--installroot=`
const python = '-BbdEhiIOPqsSuvVx -WXmcQ: --version --help'
const runner = '-qv --quiet --verbose --frozen --locked --no-sync --offline --isolated --no-dev --version --help'

export const packageOptions: Readonly<Record<string, string | RegExp>> = {
  ...Object.fromEntries(['npm', 'npm *', 'npx'].map((name) => [name, node])),
  ...Object.fromEntries([
    'pnpm', 'pnpm add', 'pnpm install', 'pnpm i', 'pnpm remove', 'pnpm update', 'pnpm publish', 'pnpm list', 'pnpm ls', 'pnpm why',
    'pnpm outdated', 'pnpm audit'
  ].map((name) => [name,
    `${node} --dir= --filter= --recursive --workspace-root --reporter= --parallel --stream --aggregate-output --bail --frozen-lockfile --lockfile-only
    --prod --dev --latest --interactive --fix-lockfile --optional --filter-prod= -r -F: -L -i`])),
  ...Object.fromEntries([
    'yarn', 'yarn add', 'yarn install', 'yarn remove', 'yarn upgrade', 'yarn up', 'yarn publish', 'yarn why', 'yarn list', 'yarn audit',
    'yarn outdated'
  ].map((name) => [name, yarn])),
  ...Object.fromEntries(['bun', 'bun add', 'bun install', 'bun i', 'bun remove', 'bun update', 'bun publish'].map((name) =>
    [name, `${yarn} -dgy --global --yes --no-save !--config=`])),
  bunx: '-y --bun --silent --verbose --version --help !--package= !-p:',
  uvx: '-qv --quiet --verbose --isolated --offline --version --help !--from= !--with= !--python=',
  ...Object.fromEntries(['deno', 'deno *'].map((name) =>
    [name, '-q --quiet --check? --no-check? --watch? --lock? --frozen? --cached-only --no-remote --reload? --json --fix --fail-fast? ' +
    '--coverage? --parallel --version --help --unstable-kv --unstable-cron --no-lock --no-prompt'])),
  ...Object.fromEntries(['pip', 'pip *'].map((name) => [name, pip])),
  pipx: '--quiet --verbose --force --version --help',
  pipenv: '-v --verbose --quiet --version --help',
  'pipenv *': '-r: --dev --deploy --ignore-pipfile --system --skip-lock --verbose -d -v',
  ...Object.fromEntries(['pipenv run', 'poetry run', 'uv run', 'hatch run', 'pdm run', 'rye run', 'conda run', 'bundle exec', 'pnpm exec', 'yarn exec', 'direnv exec', 'rbenv exec',
    'pyenv exec', 'nodenv exec', 'asdf exec', 'mise exec', 'mise x', 'rustup run'].map((name) => [name, runner])),
  'npm exec': '-qys --quiet --yes --silent --no --no-install --offline --if-present',
  'npm x': '-qys --quiet --yes --silent --no --no-install --offline --if-present',
  'perf stat': '-avr -e: --all-cpus --verbose --detailed -d',
  'perf record': '-ag -Fe: --all-cpus --call-graph=',
  uv: '-qvnV --quiet --verbose --offline --no-cache --version --help --no-progress !--directory= !--project= !--cache-dir= !--config-file=',
  'uv *': '-qvUn -r: --quiet --verbose --upgrade --dev --group= --extra= --all-extras --frozen --locked --no-dev --offline --no-sync --optional= --requirement= --editable ' +
    '--python= -p: --seed --system --pre --reinstall --no-deps --strict --output-file= -o: --check --dry-run --no-install-project --name= --lib --app --no-cache',
  poetry: '-qvVhn -CP: --quiet --verbose --ansi --no-interaction --version --help --directory= --project=',
  'poetry *': '-qvnD -EG: --quiet --verbose --no-interaction --dev --group= --with= --without= --only= --no-root --sync --dry-run --all-extras --extras= --lock --tree --latest --outdated -T -l -o --format= ' +
    '--optional --compile --no-dev --only-root --allow-prereleases --top-level --build --output=',
  hatch: '-vq -e: --verbose --quiet --env= --version --help',
  pdm: '-vq -p: --verbose --quiet --project= --version --help',
  rye: '-vq --verbose --quiet --version --help',
  conda: '-vhV --version --help',
  'conda *': '-yqv -nf: --yes --quiet --name= --file= --all --dry-run --json --force --update-deps --no-deps',
  cargo: '-qvVh -C: --quiet --verbose --color= --locked --offline --frozen --list --version --help --explain= --manifest-path= !--config= !-Z:',
  'cargo *': cargo,
  rustc: '-gOvVh -oADWF: --edition= --crate-type= --crate-name= --test --emit= --cap-lints= --cfg= --out-dir= --target= --version --help --print= --error-format= --explain=',
  rustup: '-vqhV --verbose --quiet --version --help',
  'rustup *': '--toolchain= --profile= -c: --component= --force --no-self-update --verbose --offline --path -v',
  go: '= -C: -version -help',
  'go *': go,
  'go env': '= -json -changed',
  gem: '--version --help',
  'gem *': '-Nfqa --version= --no-document --user-install --force --quiet --all --local --remote --conservative --dry-run -v: --executables --ignore-dependencies',
  bundle: '--verbose --no-color --version --help',
  'bundle *': '-j: --jobs= --retry= --quiet --local --full-index --deployment --frozen --without= --with= --path= --group= --all --conservative --patch --minor --major --strict --parseable --verbose --jobs= --force',
  ...Object.fromEntries(['mvn', 'mvn *'].map((name) =>
    [name, `= -B -q -X -e -U -o -N -P* -f: -pl: -am -amd -T* -D* -ntp -V -rf: --batch-mode --quiet --offline --update-snapshots --no-transfer-progress --fail-at-end
    -fae -fn -ff --also-make --projects: --file: --version -v --errors --debug`])),
  ...Object.fromEntries(['gradle', 'gradle *'].map((name) => [name, `= -q -i -d -s -S -x: -P* -D* -p: -b: -t -a -m --info --debug --stacktrace --full-stacktrace --offline --no-daemon --daemon --parallel --no-parallel --build-cache --no-build-cache --continue
    --dry-run --console: --tests: --rerun-tasks --refresh-dependencies --scan --no-scan --warning-mode: --project-dir: --configure-on-demand
    --max-workers: --quiet --stop --version --configuration-cache --no-configuration-cache --all --configuration: --write-locks`])),
  ...Object.fromEntries(['apt', 'apt *', 'apt-get', 'apt-get *', 'dnf', 'dnf *', 'yum', 'yum *'].map((name) => [name, system])),
  'apt-cache': '-nfa --names-only --full --installed',
  apk: '-qUuvf -t: --no-cache --update --quiet --virtual= --upgrade --no-progress --version --help !-p: !-X: !--root= !--repository=',
  'apk *': '-qUuvfa -t: --no-cache --update --quiet --virtual= --upgrade --no-progress --available --latest --installed',
  brew: '--version --help -q -v',
  'brew *': '-qvfndsa --cask --casks --formula --formulae --quiet --verbose --force --dry-run --greedy --HEAD --json? --installed --versions --full-name --all --zap --ignore-dependencies --tree',
  snap: '--version --help',
  'snap *': '--classic --channel= --edge --beta --candidate --stable --all --revision= --purge',
  flatpak: '--version --help --user --system -v',
  'flatpak *': '-y --user --system --assumeyes --noninteractive --app --runtime --columns= --unused',
  python,
  pypy: python,
  ...Object.fromEntries(['node', 'nodejs'].map((name) =>
    [name, `-vhciep -C: --version --help --check --eval= --print= --interactive --test --test-name-pattern= --test-reporter= --test-only --watch --watch-path= --env-file=
    --env-file-if-exists= --inspect? --inspect-brk? --max-old-space-size= --max_old_space_size= --enable-source-maps --experimental-strip-types
    --experimental-transform-types --experimental-vm-modules --experimental-test-coverage --experimental-sqlite --experimental-websocket --trace-warnings
    --trace-deprecation --trace-uncaught --unhandled-rejections= --no-warnings --no-deprecation --expose-gc --expose_gc --conditions= --input-type=
    --preserve-symlinks --stack-trace-limit= --stack-size= --prof --cpu-prof --heap-prof --disable-warning= --throw-deprecation --permission`])),
  perl: '-wWnplacXsStTuvVUh0 -eEI: -iF? --version --help',
  ruby: '-wnplacvsSyUh -eIC: -iFEW? --version --help --yjit --jit --verbose --disable? --enable?',
  php: '-avnimqswl -rdfBRESzt: -h --version --help',
  lua: '-vEiW -el:'
}
