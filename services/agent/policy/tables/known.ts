import { gitOptions } from './known-git.js'
import { packageOptions } from './known-packages.js'
import { shellOptions } from './known-files.js'
import { machineOptions } from './known-machines.js'
import { type KnownOptions, Spelling } from './spelling.js'

/** Options that are known to be harmless, by program, or by program and subcommand; a `*` stands for any other subcommand. */
const texts: ReadonlyMap<string, string | RegExp> = new Map<string, string | RegExp>([...Object.entries(
  shellOptions
), ...Object.entries(gitOptions),
...Object.entries(packageOptions), ...Object.entries(machineOptions)])
const read = new Map<string, KnownOptions>()

function knownOf (command: string): KnownOptions | undefined {
  const found = read.get(command)
  if (found !== undefined) return found
  const text = texts.get(command)
  if (text === undefined) return undefined
  const known = typeof text === 'string' ? new Spelling(text) : text
  read.set(command, known)
  return known
}

/** The commands whose options are known. */
export const knownCommands: readonly string[] = [...texts.keys()]

/** Returns the options that are known before a program's subcommand. */
export function globalsOf (program: string): Spelling | undefined {
  const known = knownOf(program)
  return known instanceof Spelling ? known : undefined
}

/** Returns the options that are known after a program's name, or after its subcommand; undefined if nothing is known of the command. */
export function optionsOf (program: string, subcommand: string | undefined): KnownOptions[] | undefined {
  const globals = knownOf(program)
  if (subcommand === undefined) return globals === undefined ? undefined : [globals]
  const own = knownOf(`${program} ${subcommand}`) ?? knownOf(`${program} *`)
  if (own === undefined) return undefined
  // The global options of git and go mean something else after the subcommand.
  return globals === undefined || program === 'git' || program === 'go' ? [own] : [own, globals]
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Programs that no option makes run something, contact another host, or write to other files than their arguments name. */
export const harmlessByNature = words(`cat tac nl ls dir head tail grep egrep fgrep zgrep bzgrep xzgrep wc file stat diff zdiff cmp comm cd pushd popd du df tree uniq cut paste
  test [ [[ md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum sum b2sum b3sum od xxd hexdump hexyl readlink realpath jq base64 base32
  column pr fold fmt rev expand unexpand join shuf tsort ptx look iconv zcat bzcat xzcat zstdcat lz4cat more tokei mdcat
  cp mv rm rmdir unlink mkdir mkfifo touch ln tee dd truncate shred chmod chown chgrp chattr sponge csplit mktemp sync nproc getconf locale tty stty
  gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd unzip zipinfo
  echo printf true false : basename dirname which type command kill sleep seq expr date uname whoami id hostname export set unset read local declare
  typeset readonly return exit break continue shift wait test-path tr ps pgrep pkill killall eval trap alias unalias let help pwd printenv users groups
  uptime free lsof netstat lscpu lsblk arch yes factor clear tput cal mapfile readarray getopts shopt umask ulimit jobs fg bg disown dirs hash times caller logout
  history enable complete compgen bind fc suspend source . exec builtin pidof ping6 ping traceroute tracepath dig nslookup host whois git-credential`)

/** Those of them that do the same whatever their options are. */
export const sameByAnyOption = words(`cat tac nl ls dir head tail cut paste tr test [ echo printf true false : basename dirname which type sleep seq expr
  uname whoami id column fold fmt rev expand unexpand nproc printenv readlink realpath`)

/** Programs that run what a project, or their input files, tell them to: an option adds no risk. Those with a table are not listed here. */
export const runsProject = words(`ninja meson bazel bazelisk buck buck2 scons ant sbt lein mill mix rebar3 stack cabal dune opam zig swift xcodebuild pod fastlane
  pytest py.test tox nox ruff black mypy pyright pylint flake8 isort bandit coverage pre-commit django-admin flask uvicorn gunicorn celery alembic scrapy
  sphinx-build mkdocs streamlit airflow dbt
  eslint tsc prettier jest vitest mocha tap ava jasmine karma cypress playwright stylelint biome oxlint webpack rollup vite esbuild swc babel tsup parcel
  next nuxt astro svelte-kit gatsby remix ng vue-cli-service expo react-native turbo nx lerna gulp grunt husky lint-staged changeset semantic-release
  typedoc storybook prisma drizzle-kit knip depcheck c8 nyc
  rspec rubocop rails bundle rackup jekyll standardrb phpunit phpstan psalm pest artisan composer dotnet msbuild gofmt gofumpt goimports golangci-lint
  staticcheck gopls rustfmt clang-format clang-tidy cargo-clippy wasm-pack trunk hugo zola just task invoke fab ctest cpack bats shellcheck shfmt
  hadolint yamllint markdownlint actionlint jupyter-nbconvert buf protoc`)
