import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { passwordIn } from '../../cli/values.js'
import { unknownVariables } from '../../plugins/ground/config-environment.js'
import { secrets, variables } from '../../plugins/ground/config-variables.js'
import { type ConfigError, readConfig } from '../../plugins/ground/config.js'
import { isLoopback } from '../../services/ground/network/loopback.js'

const problemsOf = (environment: Record<string, string>, surroundings: { isContainer?: boolean } = {}): string[] => {
  try {
    readConfig(environment, surroundings)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

t.test('nothing set gives a service for this machine', async (t) => {
  const config = readConfig({ HOME: '/home/somebody' })
  t.match(config, { host: '127.0.0.1', port: 8787, password: null, cookieName: 'svc_session', sessionTtlS: null, logLevel: 'info', gitReadonly: false })
  t.match(config.home, /\/\.svc$/)
  t.equal(config.stateDir, join(config.home, 'webui'))
  t.match(config.defaultWorkspace, /\/workspace$/)
  t.equal(config.maxUploadBytes, 20 * 1024 * 1024)
})

t.test('every mistake is named at once', async (t) => {
  const problems = problemsOf({ SVC_WEBUI_PORT: 'eighty', SVC_WEBUI_SESSION_TTL: '5', LOG_LEVEL: 'loud', SVC_WEBUI_TRUSTED_PROXIES: '10.0.0.0/8,nowhere', SVC_WEBUI_ALLOWED_ORIGINS: 'chat.example.org', SVC_WEBUI_PROXY_HEADER: 'no-colon' })
  t.match(problems.join('\n'), /SVC_WEBUI_PORT must be a port number, not "eighty"/)
  t.match(problems.join('\n'), /SVC_WEBUI_SESSION_TTL must be seconds/)
  t.match(problems.join('\n'), /LOG_LEVEL must be one of/)
  t.match(problems.join('\n'), /"nowhere" is not an address/)
  t.match(problems.join('\n'), /"chat.example.org" is not an origin/)
  t.notMatch(problems.join('\n'), /no-colon/, 'what may be a secret is not repeated')
  t.equal(problems.length, 6)
})

t.test('other machines get in only where there is a gate', async (t) => {
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'chat.example.org']) t.match(problemsOf({ SVC_WEBUI_HOST: host }).join(), /SVC_WEBUI_PASSWORD/, host)
  t.match(problemsOf({ SVC_WEBUI_HOST: '0.0.0.0' }, { isContainer: false }).join(), /--password-file .* listen on 127\.0\.0\.1$/)
  t.notMatch(problemsOf({ SVC_WEBUI_HOST: '0.0.0.0' }, { isContainer: true }).join(), /--password-file|127\.0\.0\.1/, 'neither helps in a container')
  t.same(problemsOf({ SVC_WEBUI_HOST: '0.0.0.0', SVC_WEBUI_PASSWORD: 'secret' }), [])
  t.same(problemsOf({ SVC_WEBUI_HOST: '0.0.0.0', SVC_WEBUI_PROXY_HEADER: 'X-Api-Key: secret' }), [])
  for (const host of ['127.0.0.1', '::1', '[::1]', 'localhost', 'LocalHost', '127.9.9.9', '::ffff:127.0.0.1', '[::ffff:7f00:1]']) t.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '[::]', '::ffff:0.0.0.0', '10.0.0.1', 'box', 'my.localhost', 'localhost.example', '127.0.0.1.nip.io', '', '[']) t.notOk(isLoopback(host), host)
})

t.test('a misspelt variable is named, with the one that was meant', (t) => {
  t.same(unknownVariables({ SVC_WEBUI_PROT: '9000', SVC_WEBUI_ORIGIN: 'x', SVC_WEBUI_PORT: '1', SVC_WEBUI_PASSWORD_FILE: 'x', SVC_TOKEN: 'x', HOME: '/', SVC_HOEM: '/', SVC_PORT: '1', SVC_HOST: '0.0.0.0', SVC_WEBUI_HOME: '/', SVC_WEB_UI_HOST: 'x', SVC_HOST_NAME: 'x', SVC_URL: 'x', SVC_OF_OTHERS: 'x' }), [
    'SVC_WEBUI_PROT is not a variable of the service, and has no effect. Did you mean SVC_WEBUI_PORT?',
    'SVC_WEBUI_ORIGIN is not a variable of the service, and has no effect.',
    'SVC_HOEM is not a variable of the service, and has no effect. Did you mean SVC_HOME?',
    'SVC_PORT is not a variable of the service, and has no effect. Did you mean SVC_WEBUI_PORT?',
    'SVC_HOST is not a variable of the service, and has no effect. Did you mean SVC_WEBUI_HOST?',
    'SVC_WEBUI_HOME is not a variable of the service, and has no effect. Did you mean SVC_HOME?',
    'SVC_WEB_UI_HOST is not a variable of the service, and has no effect. Did you mean SVC_WEBUI_HOST?'
  ])
})

t.test('an empty variable counts as not set', (t) => {
  const empty = Object.fromEntries(variables.filter((name) => !secrets.has(name)).map((name) => [name, '']))
  t.same(readConfig(empty), { ...readConfig({}), env: empty })
})

t.test('secrets can stand in files', async (t) => {
  const folder = t.testdir({})
  const file = join(folder, 'password')
  writeFileSync(file, 'from a file\n')
  t.equal(readConfig({ SVC_WEBUI_PASSWORD_FILE: file }).password, 'from a file')
  t.equal(readConfig({ OPENAI_API_KEY_FILE: file }).env.OPENAI_API_KEY, 'from a file')
  writeFileSync(join(folder, 'lines'), '\n  the first \r\nthe second\n')
  const lines = { SVC_WEBUI_PASSWORD_FILE: join(folder, 'lines'), OPENAI_API_KEY_FILE: join(folder, 'lines') }
  t.match(readConfig(lines), { password: 'the first', env: { OPENAI_API_KEY: 'the first \r\nthe second' } })
  t.equal(passwordIn(lines.SVC_WEBUI_PASSWORD_FILE), 'the first', 'commands read the same')
  const problemOf = (path: string): string => problemsOf({ SVC_WEBUI_PASSWORD_FILE: path }).join('\n')
  t.equal(problemOf(join(folder, 'missing')), `SVC_WEBUI_PASSWORD_FILE: ${folder}/missing does not exist: correct the path, or write the secret to this file`)
  t.equal(problemsOf({ SVC_WEBUI_HOST: '0.0.0.0', SVC_WEBUI_PASSWORD_FILE: join(folder, 'missing') }).length, 1, 'and nothing else, because it is meant')
  t.match(problemOf(folder), / is a folder, not a file\. Docker creates a folder if the file to mount is missing/)
  writeFileSync(join(folder, 'empty'), '\n')
  t.equal(problemOf(join(folder, 'empty')), `SVC_WEBUI_PASSWORD_FILE: ${folder}/empty is empty: write the secret to it`)
  writeFileSync(join(folder, 'large'), 'x'.repeat(70_000))
  t.match(problemOf(join(folder, 'large')), / is larger than 64 KiB: name the file that contains only the secret$/)
  writeFileSync(join(folder, 'long'), `${'x'.repeat(4097)}\nnot this line`)
  t.match(problemOf(join(folder, 'long')), / has a first line of more than 4096 characters: name the file that contains only the password$/)
  t.match(problemsOf({ SVC_WEBUI_PASSWORD: 'x'.repeat(4097) }), ['SVC_WEBUI_PASSWORD must be a password of 1 to 4096 characters'], 'nobody could sign in with it')
  t.match(problemsOf({ SVC_WEBUI_PASSWORD_FILE: file, SVC_WEBUI_PASSWORD: 'x' }).join(), /both set/)
})

t.test('a cookie name that cannot be one falls back', async (t) => {
  t.equal(readConfig({ SVC_WEBUI_COOKIE_NAME: 'my_cookie' }).cookieName, 'my_cookie')
  t.equal(readConfig({ SVC_WEBUI_COOKIE_NAME: 'a b;c' }).cookieName, 'svc_session')
})

t.test('a proxy header keeps its value and loses its case', async (t) => {
  t.same(readConfig({ SVC_WEBUI_PROXY_HEADER: 'X-Api-Key:  a:b ' }).proxyHeader, { name: 'x-api-key', value: 'a:b' })
})

t.test('.env.example and the documentation name every variable that the service reads', async (t) => {
  const sources = ['services', 'plugins', 'machine'].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts')).map((path) => readFileSync(join(folder, path), 'utf8')))
  const variable = /\b(?:SVC_[A-Z_]*[A-Z]|LOG_LEVEL|OLLAMA_HOST|OFFLINE_DEMO_[A-Z_]+|[A-Z]+_(?:API_KEY|BASE_URL))\b/g
  const read = new Set(sources.flatMap((text) => text.match(variable) ?? []).map((name) => name.replace(/_FILE$/, '')))
  read.delete('CODEX_API_KEY') // looked for in the variables of the agent Codex, not in the service's
  t.ok(read.size > 50, 'the search finds variables')
  for (const file of ['.env.example', 'docs/configuration.md']) {
    const text = readFileSync(file, 'utf8')
    t.same([...read].filter((name) => !new RegExp(`\\b${name}\\b`).test(text)), [], file)
  }
})
