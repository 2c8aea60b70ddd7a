import { hasOption, operandsOf, type Options, pairsOf } from './options.js'

/** Programs that fetch addresses from their arguments, with the options that take a value. */
export const fetchers: ReadonlyMap<string, Options> = new Map<string, Options>([
  ['curl', {
    short: 'AbcCdDeEFHKmoPQrtTuUwxXyYz',
    long: ['abstract-unix-socket', 'cacert', 'capath', 'cert', 'cert-type', 'ciphers', 'config', 'connect-timeout', 'connect-to', 'continue-at', 'cookie', 'cookie-jar', 'create-file-mode', 'data', 'data-ascii',
      'data-binary', 'data-raw', 'data-urlencode', 'dns-servers', 'dump-header', 'expect100-timeout', 'form', 'form-string', 'header',
      'interface', 'json', 'keepalive-time', 'key', 'key-type', 'limit-rate',
      'local-port', 'max-filesize', 'max-redirs', 'max-time', 'netrc-file', 'noproxy', 'oauth2-bearer', 'output', 'output-dir', 'pass',
      'pinnedpubkey', 'preproxy', 'proto', 'proto-default', 'proto-redir',
      'proxy', 'proxy-header', 'proxy-user', 'quote', 'range', 'rate', 'referer', 'request', 'request-target', 'resolve', 'retry',
      'retry-delay', 'retry-max-time', 'socks4', 'socks5', 'socks5-hostname',
      'speed-limit', 'speed-time', 'stderr', 'time-cond', 'tls-max', 'trace', 'trace-ascii', 'unix-socket', 'upload-file', 'url-query', 'user', 'user-agent', 'variable', 'write-out']
  }],
  ['wget', {
    short: 'aABDeIilLoOPQRStTUwX',
    long: ['output-document', 'output-file', 'append-output', 'input-file', 'base', 'directory-prefix', 'tries', 'timeout', 'wait', 'quota', 'user', 'password', 'header', 'user-agent', 'referer', 'post-data',
      'post-file', 'body-data', 'body-file', 'method', 'level', 'accept', 'reject', 'domains', 'ca-certificate', 'certificate', 'private-key', 'load-cookies', 'save-cookies', 'limit-rate', 'execute', 'config']
  }],
  ['http', {
    short: 'absoApv', long: ['auth', 'output', 'session', 'proxy', 'timeout', 'verify', 'cert', 'auth-type', 'print', 'style', 'pretty']
  }],
  ['https', {
    short: 'absoApv', long: ['auth', 'output', 'session', 'proxy', 'timeout', 'verify', 'cert', 'auth-type', 'print', 'style', 'pretty']
  }],
  ['xh', { short: 'aopsA', long: ['auth', 'output', 'session', 'proxy', 'timeout'] }],
  ['aria2c', { short: 'dosxjik', long: ['dir', 'out', 'split', 'input-file', 'max-connection-per-server', 'header'] }]
])

/** Options with the same effect. `value`: a pattern that the option's value has to match. */
interface OptionPattern { letters: string, names: string[], value?: RegExp }

export const fetchOptions = {
  curlUploads: [
    { letters: 'T', names: ['--upload-file'] },
    { letters: 'd', names: ['--data', '--data-ascii', '--data-binary', '--json'], value: /^@|\0/ },
    { letters: '', names: ['--data-urlencode', '--url-query'], value: /^[^=]*@|\0/ },
    { letters: 'H', names: ['--header', '--proxy-header'], value: /^@|\0/ },
    { letters: 'F', names: ['--form'], value: /=[@<]|\0/ }
  ],
  curlSends: [
    {
      letters: 'dF',
      names: ['--data', '--data-ascii', '--data-binary', '--data-raw', '--data-urlencode', '--json', '--form', '--form-string'],
      value: /^[^@]*$/
    },
    { letters: 'X', names: ['--request'], value: /^(?!(?:GET|HEAD|OPTIONS)$)/i },
    { letters: 'Q', names: ['--quote'] }
  ]
} satisfies Record<string, OptionPattern[]>

/** Returns whether the arguments contain one of the wanted options, in any spelling. */
export function hasFetchOption (program: string, args: readonly string[], wanted: readonly OptionPattern[]): boolean {
  return pairsOf(args, fetchers.get(program) ?? {}).some(({ name, value }) => wanted.some((option) =>
    (name.startsWith('--') ? option.names.includes(name) : option.letters.includes(name.slice(1))) &&
      (option.value === undefined || option.value.test(value))))
}

/** Returns the hosts of words that a fetching program uses as addresses although they have no scheme (`curl example.org/x`). */
export function bareAddresses (program: string, args: readonly string[]): string[] {
  const options = fetchers.get(program)
  if (options === undefined) return []
  const named = args.flatMap((arg, index) =>
    arg === '--url' ? [args[index + 1] ?? ''] : /^--url=/.test(arg) ? [arg.slice('--url='.length)] : [])
  const hidden = hasOption(args, program === 'wget'
    ? 'i'
    : program === 'curl' ? 'K' : '', ...(program === 'curl' ? ['--config'] : ['--input-file']))
  const words = operandsOf(args, options).filter((word) =>
    !/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(word) && !(program !== 'curl' && program !== 'wget' && /[=]/.test(word)))
  return [...named, ...words, ...(hidden ? ['\0'] : [])].filter((word) => !/^[a-z][a-z\d+.-]*:\/\//i.test(word)).map((word) =>
    word.startsWith('@') ? '\0' : word.split(/[/?#]/)[0] ?? '')
}

/** Returns the files that a program names after the addresses it fetches, both as written and with %-codes decoded. */
export function filesOfAddresses (program: string, args: readonly string[]): string[] {
  const options = fetchers.get(program)
  const pairs = pairsOf(args, options ?? {})
  const isNamed = program === 'curl'
    ? pairs.some(({ name }) => /^(?:-O|--remote-name(?:-all)?)$/.test(name))
    : program === 'wget' && !pairs.some(({ name }) => /^(?:-O|--output-document)$/.test(name))
  if (!isNamed) return []
  const folders = pairs.flatMap(({ name, value }) =>
    /^(?:--output-dir|--directory-prefix)$/.test(name) || (program === 'wget' && name === '-P') ? [value] : [])
  const words = [...operandsOf(args, options ?? {}), ...pairs.flatMap(({ name, value }) => name === '--url' ? [value] : [])]
  const names = words.map((word) =>
    word.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '').replace(/^.*\//s, '')).filter((name) => name !== '')
  const plain = names.flatMap((name) =>
    [name, name.replaceAll(/%[\da-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))])
  return [...new Set(plain)].filter((name) => !name.includes('\0')).flatMap((name) =>
    folders.length === 0 ? [name] : folders.map((folder) => `${folder}/${name}`))
}

/** Returns whether addresses, including those in fetched pages, decide where below this folder files are written. */
export const placesByAddress = (program: string, args: readonly string[]): boolean =>
  program === 'wget' && args.some((arg) => /^-[a-zA-Z]*n[H*?[]|^--no-host/.test(arg)) &&
  hasOption(args, 'rmxp', '--recursive', '--mirror', '--force-directories', '--page-requisites')

/** Headers that reveal nothing, or that curl itself does not send to another host. */
const plainHeader = /^(?:accept(?:-[a-z]+)?|authorization|cookie|content-type|user-agent|cache-control|range|if-[a-z-]+):/i

/**
 * Returns whether the program follows a redirect and sends its data there too. A redirect without data is no concern: the allowed host
 * chose its target, and gains nothing by it.
 */
export function sendsOn (program: string, args: readonly string[]): boolean {
  if (program === 'wget') return args.some((arg) => /^--(?:post|body)-|^--method/.test(arg)) && !args.includes('--max-redirect=0')
  if (program === 'http' || program === 'https' || program === 'xh') {
    return hasOption(args, 'F', '--follow') && args.some((arg) => !arg.startsWith('-') && /[:=@]/.test(arg) && !/^[a-z]*:\/\//i.test(arg))
  }
  if (program !== 'curl' || !hasOption(args, 'L', '--location')) return false
  return hasFetchOption('curl', args, [...fetchOptions.curlUploads, ...fetchOptions.curlSends]) ||
    pairsOf(args, fetchers.get('curl') ?? {}).some(({ name, value }) => /^(?:-H|--header)$/.test(name) && !plainHeader.test(value))
}
