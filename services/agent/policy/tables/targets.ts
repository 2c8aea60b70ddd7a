import { remoteHostOf, hostOfAddress, noHost } from './addresses.js'
import { fetchers } from './fetchers.js'
import { gitCommandAt } from './git-command.js'
import { globalsOf, harmlessByNature } from './known.js'
import { afterOptions, hasOption, operandsOf, type Options, pairsOf } from './options.js'
import { isReader, wordsOnly } from './programs.js'

type Targets = (args: readonly string[], program: string) => string[]

/** All options of ssh that take a value, harmless or not: the host follows them. */
export const sshOptions: Options = {
  short: 'BbcDEeFIiJLlmMOopQRSWw', long: ['ssh', 'predict', 'port', 'bind-server', 'family', 'experimental-remote-ip']
}
const databaseOptions: Options = {
  short: 'hpPUdcfvLnaiujr', long: ['host', 'port', 'username', 'user', 'dbname', 'command', 'file', 'database', 'execute', 'uri']
}
/** Returns whether a call of `nc` waits for connections, or uses a socket on this machine. */
const isListening = (args: readonly string[], program: string): boolean =>
  pairsOf(args, globalsOf(program) ?? {}).some(({ name }) => /^(?:-[lU]|--listen|--unixsock)$/.test(name))

/** Returns the hosts in an argument, wherever in it the addresses begin: `git+https://…`, `name @ https://…`. */
const inText = (text: string): string[] =>
  [...text.matchAll(/[a-z][a-z\d+.-]{0,20}:\/\/\S*/gi)].flatMap(([word]) => /^file:/i.test(word) ? [] : hostOfAddress(word) ?? [])
const addresses: Targets = (args) => args.flatMap(inText)
const withoutUser = (word: string): string => word.slice(word.lastIndexOf('@') + 1)
/** Any word that is not a number may be the host. An option's value that is mistaken for one does no harm. */
const hostLike: Targets = (args) => {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const hosts = words.filter((word) => !/^\d+(?:-\d+)?$/.test(word))
  return (hosts.length > 0 ? hosts : words.slice(0, 1)).map((word) => hostOfAddress(word) ?? withoutUser(word).split('/', 1)[0] ?? '')
}

const ofSsh: Targets = (args) => {
  const at = afterOptions(args, sshOptions)
  const behind = args.slice(at + 1)
  const jumps = [args.slice(0, at), behind.slice(0, afterOptions(behind, sshOptions))].flatMap((options) =>
    pairsOf(options, sshOptions)).flatMap(({ name, value }) => name === '-J' ? value.split(',') : [])
  const host = args[at]
  return [...host === undefined ? [] : [host], ...jumps].map((word) => hostOfAddress(word) ?? withoutUser(word))
}

const record = /^(?:\+.*|in|ch|hs|any|a|aaaa|afsdb|axfr|ixfr(?:=\d+)?|caa|cdnskey|cds|cert|cname|dname|dnskey|ds|https|loc|mx|naptr|ns|nsec3?|nsec3param|ptr|rp|rrsig|soa|srv|sshfp|svcb|tlsa|txt|uri|type\d+)$/i
/** A server that is asked about a host learns its name, so both count. Types of DNS records are not hosts. */
const ofProbes: Targets = (args, program) => operandsOf(args, { short: 'bcIikLlMmNpQqSsTtWwfhF' }).flatMap((word) =>
  /^(?:dig|host|nslookup)$/.test(program) && record.test(word) ? [] : [word.replace(/^@/, '')])
  .concat(pairsOf(args, { short: 'h' }).flatMap(({ name, value }) => name === '-h' && value !== '' ? [value] : []))

const ofCopies: Targets = (args, program) => operandsOf(args, globalsOf(program) ?? {}).flatMap((word) =>
  remoteHostOf(word) ?? /^(?:[^@/:\s]+@)?(\[[^\]]+\]|[^/:\s]+)::/.exec(word)?.[1] ?? [])
/** The first operand is a host, with or without a path. */
const ofTransfers: Targets = (args, program) =>
  operandsOf(args, globalsOf(program) ?? {}).slice(0, 1).map((word) => remoteHostOf(word) ?? withoutUser(word).split(':', 1)[0] ?? '')
/** An archive may be on another machine. */
const ofArchives: Targets = (args) => {
  const words = args.filter((arg, index) => index > 0 && !arg.startsWith('-'))
  // oxlint-disable-next-line regexp/no-super-linear-backtracking -- the rest is anything
  const named = args.flatMap((arg) => /^(?:--file=|-[A-Za-z]*f)(.+)$/s.exec(arg)?.[1] ?? [])
  return hasOption(args, '', '--force-local')
    ? []
    : [...words, ...named].flatMap((word) => /^(?:[^@/:\s]+@)?([^/:\s]+):/.exec(word)?.[1] ?? [])
}

const ofBuckets: Targets = (args) => args.flatMap((arg) => {
  const [, scheme, name = ''] = /^(s3|gs):\/\/([^/]*)/.exec(arg) ?? []
  return scheme === undefined ? [] : [`${name}.${scheme === 's3' ? 's3.amazonaws.com' : 'storage.googleapis.com'}`]
})

/** `TCP:host:port` and similar addresses. For other address types that are not known to be local, the host is unknown. */
const ofSocat: Targets = (args) => args.filter((arg) => !arg.startsWith('-') && arg.includes(':')).flatMap((word) => {
  const host = /^(?:TCP|UDP|UDPLITE|SSL|OPENSSL|SCTP|DTLS|IP|SOCKS\w*|PROXY)[46]?(?:-(?:CONNECT|SENDTO|DATAGRAM|CLIENT))?:(\[[^\]]*\]|[^:,]*)/i.exec(
    word
  )?.[1]
  return host !== undefined
    ? [host]
    : /^(?:[\w-]+-(?:L|LISTEN|RECV|RECVFROM)|UNIX\w*|ABSTRACT\w*|FILE|G?OPEN|CREATE|CREAT|PIPE|FIFO|PTY|FD|EXEC|SYSTEM|SHELL)(?:-[\w-]+)?:/i.test(word)
      ? []
      : [noHost]
})

/** Returns the registry of an image; without one, it is the Docker Hub. */
function registryOf (image: string): string {
  const [first = '', ...rest] = image.replace(/^[a-z-]+:\/\//i, '').split('/')
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : 'docker.io'
}

const ofImages: Targets = (args, program) => {
  const at = afterOptions(args, globalsOf(program) ?? {})
  const [subcommand = '', next = ''] = /^(?:image|manifest)$/.test(args[at] ?? '') ? args.slice(at + 1) : args.slice(at)
  const operands = args.slice(args.indexOf(subcommand, at) + 1).filter((arg) => !arg.startsWith('-'))
  if (/^log(?:in|out)$/.test(subcommand)) {
    return operands.length === 0 && next === ''
      ? ['docker.io']
      : [operands.at(-1) ?? 'docker.io'].map((word) => hostOfAddress(word) ?? word.split('/', 1)[0] ?? '')
  }
  if (/^(?:build|import|compose)$/.test(subcommand) || program === 'docker-compose') {
    return args.flatMap((arg) =>
      [...inText(arg), ...subcommand === 'build' ? /^git@([^:]+):|^(github\.com)\//.exec(arg)?.slice(1).filter(Boolean) ?? [] : []])
  }
  if (/^(?:push|pull)$/.test(subcommand)) {
    return operands.filter((word) => !/^(?:dir|oci|oci-archive|docker-archive|containers-storage):/.test(word)).map(registryOf)
  }
  // The image names its registry, unless it is the default one.
  return /^(?:run|create)$/.test(subcommand)
    ? operands.filter((word) =>
      /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?\/[\w./-]+(?::[\w.-]+)?(?:@sha256:\w+)?$/i.test(word)).slice(0, 1).map(registryOf)
    : []
}

const ofSkopeo: Targets = (args) => args.filter((arg) => /^docker:\/\//.test(arg)).map(registryOf)

const getting = /^(?:install|i|in|ci|add|update|up|upgrade|exec|x|dlx|create|init|download|wheel|get|run|tool|cache|publish|login|sync|lock|pip|fetch|inject)$/
const shortcuts: ReadonlyMap<string, string> = new Map([
  ['github', 'github.com'], ['gitlab', 'gitlab.com'], ['bitbucket', 'bitbucket.org'], ['gist', 'gist.github.com']
])

/** Packages by address. A package that is given by its name alone comes from the registry in the program's settings. */
const ofPackages: Targets = (args, program) => {
  const found = args.slice(0, 1 + args.findIndex((arg) => arg === '--') || undefined).flatMap((arg) => {
    const [, shortcut = ''] = /^([a-z]+):(?!\/\/)/.exec(arg.slice(arg.lastIndexOf('@') + 1)) ?? []
    const named = shortcuts.get(shortcut) ?? /^(?:[\w.+-]+@)?git@([^:/]+):/.exec(arg)?.[1] ??
      (/^(?:npm|pnpm|yarn|bun)$/.test(program) && /^(?!\.)[\w*?[\]-]+\/[\w.*?[\]-]+(?:#.*)?$/.test(arg) ? 'github.com' : undefined)
    return named === undefined ? inText(arg) : [named]
  })
  const isGetting = /^(?:npx|bunx|uvx|pipx)$/.test(program) || args.some((arg) => getting.test(arg))
  return isGetting ? found : []
}

const ofGo: Targets = (args) => /^(?:get|install|run)$/.test(args[0] ?? '')
  ? args.slice(1).flatMap((arg) => /^([\w-]+(?:\.[\w-]+)+)\/[^]*$/.exec(arg)?.[1] ?? []).filter((host) => !host.endsWith('.go'))
  : []

/** `remote:path`. A remote that is defined in the argument itself begins with a colon. */
const ofRclone: Targets = (args) =>
  args.filter((arg) => !arg.startsWith('-')).flatMap((arg) => /^:/.test(arg) ? [noHost] : /^([^/:]+):/.exec(arg)?.[1] ?? [])

const ofDatabases: Targets = (args) => [
  ...pairsOf(args, databaseOptions).filter(({ name }) => /^(?:-h|--host|--hostname)$/.test(name)).map(({ value }) => value),
  ...args.flatMap((arg) => [...arg.matchAll(/\bhost(?:addr)?\s*=\s*'?([^\s'&]+)/gi)].map(([, host = '']) => host)),
  ...addresses(args, '')
].filter((host) => host !== '' && !host.startsWith('/'))

/** The first operand may be an address without its scheme. */
const ofMongo: Targets = (args) => [...ofDatabases(args, ''), ...operandsOf(args, databaseOptions).slice(0, 1).flatMap((word) =>
  /^([\w.-]+):\d+(?:\/|$)/.exec(word)?.[1] ?? /^([\w-]+(?:\.[\w-]+)+)\//.exec(word)?.[1] ?? [])]

/** `--hostname`, and a repository with its host in front. */
const ofForges: Targets = (args) => [
  ...pairsOf(args, { short: 'hR', long: ['hostname', 'repo'] }).flatMap(({ name, value }) => /^(?:-h|--hostname)$/.test(name)
    ? [value]
    : /^(?:-R|--repo)$/.test(name) ? value.split('/').length > 2 ? [value.split('/', 1)[0] ?? ''] : [] : []),
  ...args.includes('repo') ? args.flatMap((arg) => /^([\w-]+(?:\.[\w-]+)+)\/[\w.-]+\/[\w.-]+$/.exec(arg)?.[1] ?? []) : [],
  ...addresses(args, '')
].filter((host) => host !== '')

/** The address of a remote that is set here is one that git contacts later. */
const ofGit: Targets = (args) => {
  const at = gitCommandAt(args)
  const [verb = '', ...others] = args.slice(at + 1).filter((arg) => !arg.startsWith('-'))
  return args[at] === 'remote' && /^(?:add|set-url)$/.test(verb) ? others.flatMap((word) => remoteHostOf(word) ?? []) : []
}

const each = (names: string, targets: Targets): Array<[string, Targets]> => names.split(' ').map((name) => [name, targets])

const known: ReadonlyMap<string, Targets> = new Map<string, Targets>([
  ['git', ofGit],
  ...each('scp rsync', ofCopies),
  ['sftp', ofTransfers],
  ...each('tar gtar bsdtar', ofArchives),
  ...each('ssh autossh mosh ssh-copy-id slogin', ofSsh),
  ...each('nc ncat netcat telnet', (args, program) => isListening(args, program) ? [] : hostLike(args, program)),
  ...each('ftp nmap', hostLike),
  ...each('ping ping6 traceroute tracepath mtr dig nslookup host whois', ofProbes),
  ['lftp', (args, program) => hasOption(args, 'cef') ? [noHost] : hostLike(args, program)],
  ['socat', ofSocat],
  ...each('aws gsutil', ofBuckets),
  ...each('docker podman nerdctl buildah docker-compose', ofImages),
  ['skopeo', ofSkopeo],
  ...each('npm npx pnpm yarn bun bunx deno pip pipx pipenv uv uvx poetry pdm cargo gem', ofPackages),
  ['go', ofGo],
  ['rclone', ofRclone],
  ...each('psql pg_dump pg_dumpall pg_restore pg_isready createdb dropdb mysql mariadb mysqldump mysqladmin redis-cli', ofDatabases),
  ...each('mongo mongosh mongodump mongorestore mongoexport mongoimport', ofMongo),
  ...each('gh glab', ofForges),
  ...each('svn hg helm yt-dlp youtube-dl mvn gradle', addresses),
  ['kubectl', (args, program) => [...addresses(args, program), ...args.flatMap((arg, index) =>
    /^(?:-k|--kustomize=)?([\w-]+(?:\.[\w-]+)+)\/[\w.-]+\/\w/.exec(/^(?:-k|--kustomize$|kustomize$)/.test(args[index - 1] ?? '') ||
      /^(?:-k|--kus)/.test(arg)
      ? arg
      : '')?.[1] ?? [])]]
])

/** Addresses as words, values of options, and parts of lists (`concat:http://…|http://…`). */
const asWords: Targets = (args) => args.flatMap((arg) => [
  ...arg.matchAll(/(?:^|[=|,@:/])([a-z][a-z\d+.-]{0,20}:\/\/[^\s|]+)/gi)
]).flatMap(([, word = '']) => /^file:/i.test(word) ? [] : hostOfAddress(word) || [])

/** Returns whether an address is only text, or the name of a file, for a program. */
const fetchesNothing = (program: string): boolean => harmlessByNature.has(program) || wordsOnly.has(program) || isReader(program)

/** Returns the hosts that the words of a call name. For unknown programs, every address counts. */
export function targetsOf (program: string, args: readonly string[]): string[] {
  const targets = known.get(program)
  if (targets !== undefined) return targets(args, program)
  return fetchers.has(program) || fetchesNothing(program) ? [] : asWords(args, program)
}
