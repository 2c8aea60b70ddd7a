import fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { mask, redact, redactDeep } from '../services/redaction.js'
import { type Answer } from './support/app.js'
import { eventually, gate, held, startChat, type ChatService } from './support/chat.js'
import { startModelEndpoint, type ModelStep } from './support/model-endpoint.js'
import { spawnServer } from './support/server.js'

/** A dot in the middle keeps scanners of repositories from taking these for real ones. */
const whole = (text: string): string => text.replaceAll('·', '')
const a40 = 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n'
const hex32 = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
const jwt = 'eyJ·hbGciOiJIUzI1NiJ9.eyJ·zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const pem = ['-----BEGIN RSA ·PRIVATE KEY-----', 'MIIEowIBAAKCAQEAx1qEw3b5Zk2Y8f0yQ7s9d3v6w1o4Rr8Tt2Uu5Ii0Pp3Aa6Ss', '9dFgHjKl1zXcVbNm2QwErTyUiOpAsDfGhJkLzXcVbNm3QwErTyUi==', '-----END RSA ·PRIVATE KEY-----']

/** What it is, a text with it, and what must not be left of it. */
const secrets: Array<[what: string, text: string, secret: string]> = [
  ['OpenAI', `use sk-·${a40}`, a40],
  ['OpenAI, project', `OPENAI: sk-proj-·${a40}_x-y`, a40],
  ['Anthropic', `(sk-ant-·api03-${a40}-AA)`, a40],
  ['OpenRouter', `"sk-or-v1-·${hex32}${hex32}"`, hex32],
  ['Stripe', 'sk_live_·4eC39HqLyjWDarjtT1zdp7dc', '4eC39HqLyjWD'],
  ['Stripe, restricted', 'rk_test_·4eC39HqLyjWDarjtT1zdp7dc', '4eC39HqLyjWD'],
  ['Stripe, webhook', `whsec_·${a40}`, a40],
  ['GitHub', `https://x:ghp_·${a40}@github.com/a/b`, a40],
  ['GitHub, app', `ghs_·${a40}`, a40],
  ['GitHub, fine-grained', `github_pat_·11ABCDEFG0_${a40}`, a40],
  ['GitLab', 'glpat-·xYz123AbC456dEf789Gh', 'xYz123AbC456'],
  ['AWS, id', 'id AKIA·IOSFODNN7EXAMPLE.', 'IOSFODNN7EXAMPLE'],
  ['AWS, temporary id', 'ASIA·IOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  ['AWS, credentials file', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalrXUtnFEMI'],
  ['Slack, bot', 'xoxb-·123456789012-123456789012-AbCdEfGhIjKlMnOp', 'AbCdEfGhIjKl'],
  ['Slack, app', 'xapp-·1-A0123456789-1234567890123-abcdef0123456789', 'abcdef0123456789'],
  ['Slack, webhook', 'https://hooks.slack.com/services/·T00000000/B00000000/XXXXabcd1234efgh5678ijkl', 'abcd1234efgh'],
  ['Discord, webhook', `https://discord.com/api/webhooks/·123456789012345678/${a40}`, a40],
  ['Google', 'AIza·SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q', 'SyA1b2C3d4'],
  ['Google, OAuth', `ya29.·a0AfB_${a40}`, a40],
  ['Google, client', `GOCSPX-·${a40.slice(0, 28)}`, a40.slice(0, 28)],
  ['Hugging Face', `hf_·${a40.slice(0, 34)}`, a40.slice(0, 34)],
  ['npm', `npm_·${a40.slice(0, 36)}`, a40.slice(0, 36)],
  ['Groq', `gsk_·${a40}`, a40],
  ['xAI', `xai-·${a40}`, a40],
  ['PyPI', `pypi-·AgEIcHlwaS5vcmc${a40}`, a40],
  ['DigitalOcean', `dop_v1_·${hex32}${hex32}`, hex32],
  ['SendGrid', `SG.·${a40.slice(0, 22)}.${a40}`, a40],
  ['Mailgun', `key-·${hex32}`, hex32],
  ['Shopify', `shpat_·${hex32}`, hex32],
  ['Grafana', `glsa_·${a40.slice(0, 32)}_1a2b3c4d`, a40.slice(0, 32)],
  ['Vault', `hvs.·CAESI${a40}`, a40],
  ['Tailscale', 'tskey-auth-·k123456CNTRL-abcdef123456', 'abcdef123456'],
  ['Docker Hub', `dckr_pat_·${a40.slice(0, 27)}`, a40.slice(0, 27)],
  ['age', `AGE-SECRET-KEY-·1${'Q2W3E4R5T6'.repeat(6)}`, 'Q2W3E4R5T6'],
  ['a JSON web token', `Cookie jar: ${jwt}`, 'eyJzdWIi'],
  ['a private key', pem.join('\n'), 'MIIEowIBAAKC'],
  ['a private key in JSON', JSON.stringify({ pem: pem.join('\n') }), '9dFgHjKl1zXc'],
  ['a private key that is cut off', pem.slice(0, 2).join('\n').slice(0, -20), 'MIIEowIBAAKC'],
  ['an encrypted private key', [pem[0], 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,00FF', '', ...pem.slice(1)].join('\r\n'), '9dFgHjKl1zXc'],
  ['a bearer header', `curl -H "Authorization: Bearer ${a40}" https://a.example`, a40],
  ['a bearer token of letters', 'Authorization: Bearer correcthorsebattery', 'correcthorse'],
  ['a bearer token in words', `with bearer ${a40} it works`, a40],
  ['a basic header', 'authorization: Basic YWRtaW46aHVudGVyMg==', 'YWRtaW46'],
  ['a header of GitHub', `'Authorization': 'token ${hex32}'`, hex32],
  ['a header in JSON', '{"headers":{"Authorization":"Bearer abcdef-123456"}}', 'abcdef-123456'],
  ['a header of one\'s own', 'X-Api-Key: 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
  ['cookies', 'Cookie: theme=dark; sid=s%3AabcDEF123456.xyz; svc_session=0123456789abcdef', '0123456789abcdef'],
  ['a cookie that is set', 'Set-Cookie: sid=abcdef0123456789; Path=/; HttpOnly', 'abcdef0123456789'],
  ['an address with a password', 'postgres://app:s3cr3tPass@db.example:5432/app', 's3cr3tPass'],
  ['an address with a password that begins with a dollar', 'redis://:$ecretOne@cache:6379', 'ecretOne'],
  ['an address with a token', 'https://api.example/v1?x=1&access_token=abcdef123456&y=2', 'abcdef123456'],
  ['curl', 'curl -s -u admin:hunter22 https://a.example', 'hunter22'],
  ['an option', 'deploy --api-key abc123def456 --force', 'abc123def456'],
  ['an option with a sign', 'mysql --password=hunter2 --host=db', 'hunter2'],
  ['a variable of a shell', 'export GITHUB_TOKEN=abcdef123456', 'abcdef123456'],
  ['a variable in quotation marks', "DB_PASS='p@ss w0rd!x'", 'p@ss w0rd'],
  ['a variable before a command', 'PGPASSWORD=hunter2 psql -h db', 'hunter2'],
  ['PowerShell', '$env:API_KEY="abc123def"', 'abc123def'],
  ['a Dockerfile', 'ENV SECRET_KEY=abc(def)12345', 'def)12345'],
  ['.env with every kind of sign', 'DJANGO_SECRET_KEY=k(9x!u{2}&b', 'u{2}&b'],
  ['.env with a word', 'REDIS_PASSWORD=correcthorse', 'correcthorse'],
  ['.env with a number', 'ADMIN_PASSWORD=12345678', '12345678'],
  ['JSON', '{"user": "ada", "password": "hunter2hunter"}', 'hunter2hunter'],
  ['JSON with signs in it', '{"password": "a,b(c)\\"d;e{f}"}', 'e{f}'],
  ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ client_secret: 'abc-def-ghi-123' }) }), 'abc-def-ghi'],
  ['JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify({ api_key: 'zyx987wvu654' }))), 'zyx987wvu654'],
  ['YAML', 'db:\n  user: ada\n  password: hunterhunter\n', 'hunterhunter'],
  ['YAML in a list', '- apiKey: abc123def456', 'abc123def456'],
  ['TOML', 'secret_key = "abc123-def456"', 'abc123-def456'],
  ['INI', 'token = abc123def456', 'abc123def456'],
  ['TypeScript', "const apiKey = 'abc123def456'", 'abc123def456'],
  ['TypeScript with a type', "const password: string = 'hunter2!'", 'hunter2!'],
  ['Python', "client = Client(auth_token='abc123def456')", 'abc123def456'],
  ['Python, a key of a dict', "config['secret'] = 'abc123def456'", 'abc123def456'],
  ['Go', 'password := `hunter2;x`', 'hunter2;x'],
  ['Ruby', ':password => "hunter2"', 'hunter2'],
  ['a connection string', 'Server=db;User Id=sa;Password=hunter2;Encrypt=yes', 'hunter2'],
  ['a storage account', `AccountName=a;AccountKey=${a40}==;EndpointSuffix=x`, a40],
  ['XML', '<password>hunter2</password>', 'hunter2'],
  ['a passphrase', 'passphrase: "correct horse battery staple"', 'battery'],
  ['in a sentence', 'My password: hunter22, please.', 'hunter22'],
  ['behind something that was none', 'password: token: abcd1234ef', 'abcd1234ef']
]

/* eslint-disable no-template-curly-in-string -- they are meant as they stand */
/** What looks a little like one. */
const harmless: string[] = [
  '123e4567-e89b-12d3-a456-426614174000', 'commit 9fceb02d0ae598e95dc970b74767f19372d61af8', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '/home/ada/projects/token-service/src/password.ts:12:5', 'C:\\Users\\ada\\secrets\\notes.txt', 'max_tokens: 128000', '"max_tokens": 4096,', 'token_count=12', 'input_tokens: 1,234,567', 'tokens=128k',
  'password: string', 'password?: string | undefined', 'interface Login { token: AccessToken, apiKey: ApiKey }', 'function login (password: string, token: Token): void {}',
  'process.env.API_KEY', 'const apiKey = process.env.API_KEY', 'api_key = os.environ["API_KEY"]', 'const token = request.headers.authorization', 'password: req.body.password,',
  'const token = await fetchToken(user)', 'token = getToken()', 'secret: Type.String({ minLength: 8 })', 'password: z.string().min(8)', 'this.token = token', 'self.password = password',
  'login(user, password=new_password)', 'connect(host=name, password=value)', 'token = response', 'if (token === undefined) return', 'password == confirmPassword', 'token => token.value',
  'API_KEY=${API_KEY}', 'export TOKEN=$GITHUB_TOKEN', 'token: ${{ secrets.GITHUB_TOKEN }}', 'secrets: inherit', 'permissions:\n  id-token: write', 'Authorization: Bearer <token>', 'Authorization: Bearer $TOKEN',
  'API_KEY=your-api-key-here', 'password: ********', 'password=xxxxxxxx', 'postgres://user:${DB_PASSWORD}@db/app', 'https://example.com:8080/a@b', 'git@github.com:ada/engine.git', 'http://localhost:3000/reset-password?step=2',
  'docker run --user 1000:1000 -u 1000:1000 image', 'The token: something that stands for a word.', 'Tokens: counted for each request.', 'a basic understanding of bearer authentication', 'Basic configuration, Basic JavaScript',
  'This is about passwords, secrets, tokens and keys; nothing of it is one.', 'authorization: required for every call', 'tokenizer: bert-base-uncased', '"js-tokens": "^4.0.0"', '"js-tokens": "^3.0.0 || ^4.0.0"', 'PASS_DEPTH_PASS: 0x0B96;', 'usage.lastTokens = this.#contextTokens = step.tokens', 'secret-santa@1.2.3', 'the secret is out; the key to it was patience',
  'class="sk-fading-circle sk-folding-cube-container"', 'ask-about-something-that-is-long-enough', 'risk-assessment-of-the-year-2026-draft', 'hf_hub_download_with_a_long_name', 'npm_config_registry_is_a_variable', '--token-color: #ff00aa;',
  `data:image/png;base64,iVBORw0KGgo${'AAECAwQFBgcICQoLDA0ODxAREhM+/'.repeat(20)}==`, '{"password": "Enter your password", "token": "The token has expired"}', '{"label": "Password", "secret": "Client secret"}', "credentials: 'include'",
  '<input type="password" name="password" autocomplete="current-password">', '<password></password>', '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----', '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----',
  'private_key: ~/.ssh/id_ed25519', 'PASSWORD_FILE=/run/secrets/db', 'token: https://example.com/oauth/token', 'token: RS256-signed, see RFC 7519', 'PWD=/home/ada/engine', 'session_id=0123456789ab', 'stream_id: 0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  'eyJ is how they begin', 'monkey: banana; donkey = carrot', 'key: value', 'primary key: user_id', 'keyboard: qwertz-1234', 'Cookie: a=b', 'bypass: enabled', 'the compass-token'
]
/* eslint-enable no-template-curly-in-string */

t.test('credentials are masked', async (t) => {
  t.ok(secrets.length >= 40)
  for (const [what, text, secret] of secrets) {
    const masked = redact(whole(text))
    t.ok(masked.includes(mask), `${what}: ${masked.slice(0, 100)}`)
    t.notOk(masked.includes(secret), `${what}: nothing is left of it: ${masked.slice(0, 100)}`)
    t.equal(redact(masked), masked, `${what}: once is enough`)
  }
})

t.test('and so they are in the middle of a text, and as a text of JSON', async (t) => {
  for (const [what, text, secret] of secrets) {
    t.notOk(redact(`First.\n${whole(text)}\nLast.`).includes(secret), `${what}, on lines of its own`)
    // What such a file holds is known by its lines.
    if (!/env|YAML|Dockerfile/.test(what)) t.notOk(redact(`Look: ${whole(text)} and more`).includes(secret), what)
    t.notOk(redact(whole(text).split('\n').map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n')).includes(secret), `${what}, with numbers of lines`)
    t.notOk(JSON.stringify(redactDeep({ content: whole(text), tool_calls: [{ function: { arguments: JSON.stringify({ script: whole(text) }) } }] })).includes(secret), `${what}, as arguments`)
  }
})

t.test('what only looks like one is left alone', async (t) => {
  t.ok(harmless.length >= 40)
  for (const text of harmless) {
    t.equal(redact(text), text)
    t.equal(redact(`     1\t${text}`), `     1\t${text}`)
    t.equal(redact(JSON.stringify({ text: `before\n${text}\nafter` })), JSON.stringify({ text: `before\n${text}\nafter` }))
    t.equal(redact(`before ${text} after`), `before ${text} after`)
    t.equal(redact(`before\n${text}\nafter`), `before\n${text}\nafter`)
  }
})

t.test('around a secret everything stays', async (t) => {
  t.equal(redact('postgres://app:s3cr3tPass@db.example:5432/app'), `postgres://app:${mask}@db.example:5432/app`)
  t.equal(redact('{"user": "ada", "password": "hunter2hunter", "n": 1}'), `{"user": "ada", "password": "${mask}", "n": 1}`)
  t.equal(redact('curl -H "Authorization: Bearer abcdefgh12345678" https://a.example'), `curl -H "Authorization: Bearer ${mask}" https://a.example`)
  t.equal(redact('a\nexport TOKEN=abcdef123456 # mine\nb'), `a\nexport TOKEN=${mask} # mine\nb`)
  t.equal(redact(whole(`${pem.join('\n')}\nand more`)), `${mask}\nand more`)
  t.equal(redact(whole('A file with -----BEGIN ·PRIVATE KEY----- at its top is a key.')), `A file with ${mask} at its top is a key.`)
})

const piece = fc.oneof(
  fc.constantFrom(...secrets.map(([, text]) => whole(text)), ...harmless, mask, 'password', 'token', 'api_key', 'Bearer ', 'Basic ', 'Authorization: ', 'Cookie: ', ': ', '=', '":"', '\\"', "'", '"', '`', '\n', ' ', '://u:', '@', '<', '>', '--', '(', '[', 'eyJ', 'sk-', '-----BEGIN PRIVATE KEY-----'),
  fc.string({ maxLength: 20 })
)
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

t.test('masking what is masked changes nothing', async () => {
  fc.assert(fc.property(texts, (text) => {
    const once = redact(text)
    assert.equal(redact(once), once)
  }), { numRuns: 5_000 })
})

t.test('any text may come, and one without a hint of a secret comes back as it is', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => { redact(text) }))
  fc.assert(fc.property(fc.stringMatching(/^[ghijlmq .,;\n\d]*$/), (text) => { assert.equal(redact(text), text) }))
})

t.test('objects: texts of every depth, secrets by the name of their key, identifiers never', async (t) => {
  const plain = { role: 'user', content: 'nothing', parts: [{ text: 'here' }], n: 1, none: null }
  t.equal(redactDeep(plain), plain, 'the very same object when there is nothing')
  const key = whole(`sk-·${a40}`)
  t.same(redactDeep({ a: [{ b: { c: key } }], n: 5, flag: true, none: null }), { a: [{ b: { c: mask } }], n: 5, flag: true, none: null })
  t.same(redactDeep({ message_id: key, workspace: `/home/${key}`, name: key }), { message_id: key, workspace: `/home/${key}`, name: key })
  t.same(redactDeep({ args: { password: 'hunter2hunter', api_key: 'abcdef123456', path: `/x/${key}`, name: key, id: key } }),
    { args: { password: mask, api_key: mask, path: `/x/${mask}`, name: mask, id: mask } }, 'the arguments of a tool are anybody\'s')
  const numbers = { input_tokens: 12, max_tokens: '128000', password: 'string', token: '', secret: 'Client secret' }
  t.equal(redactDeep(numbers), numbers)
})

t.test('errors and other objects, as they come into a log', async (t) => {
  const key = whole(`sk-·${a40}`)
  const harmless = new Error('It broke')
  const line = { err: harmless, reply: new Map([['key', key]]), bytes: Buffer.from(key) }
  t.equal(redactDeep(line), line, 'an error stays one, and classes are not looked into')
  const cause = Object.assign(new Error(`Incorrect key: ${key}`), { url: `https://u:hunter2@a.example/${key}`, status: 401 })
  for (const err of [cause, new Error('It broke', { cause })]) {
    const shown = redactDeep({ err, msg: 'x' }) as unknown as { err: Error }
    t.notOk(JSON.stringify(shown).includes(a40), err.message)
    t.notOk(JSON.stringify(shown).includes('hunter2'))
    t.match(shown.err, { type: 'Error', message: /^(?:Incorrect key: \[redacted\]|It broke)$/, stack: /redaction\.test/ })
  }
})

t.test('no text takes long', async (t) => {
  // In a thread, so that a text that does take long fails the test and does not hang it.
  const units = [
    'a', 'A', '0', ' ', '\n', '-', '_', '.', '/', '\\', '"', "'", '`', '<', '=', ':', '@', '+', 'é', '🎉', 'ab ', 'a.', 'a-', 'A_', 'a\n', '\\"', 'eyJ', 'eyJ-', 'eyJ.', 'eyJabcdefgh.', 'sk-', 'sk-a', 'SG.', 'SG.aaaaaaaaaaaaaaaaaaaa-',
    'token', 'token ', 'token=', 'token: ', 'token="', 'token=\\"', 'token\\', 'password:\t', '--token', '--token ', '-token-', 'A_TOKEN', 'TOKEN=', '\nTOKEN', '\nTOKEN=', '<token>', '<token>a', '://', 'a://', 'a://a:', 'bearer ', 'basic aaaaaaaaaaaa', 'authorization: ', 'cookie: ', 'cookie: =aaaaaaaa',
    'curl ', 'curl -u ', 'curl -u a:', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n', '-----BEGIN PRIVATE KEY-----a: b\n', 'key-', 'xoxb-', '1.1', '1.1 ', 'aA', 'a.b', '/a', 'a b1 ', '$a', 'hooks.slack.com/services/', 'api key ', 'secret_'
  ]
  const size = 1_000_000
  const worker = new Worker(`
    const { workerData, parentPort } = require('node:worker_threads')
    import('tsx/esm/api').catch(() => null).then(async (tsx) => {
      tsx?.register()
      const { redact } = await import(workerData.url)
      for (const unit of workerData.units) {
        const long = unit.repeat(Math.ceil(workerData.size / unit.length))
        const [part, short] = [long.slice(0, workerData.size / 4), long.slice(0, 900)]
        for (const text of [long, 'token=' + part, part + ' password: x', 'token="' + part, ('token="' + short + '!"\\n').repeat(300), ('token: ' + short + '!\\n').repeat(300)]) {
          const startMs = performance.now()
          redact(text)
          parentPort.postMessage({ unit, ms: performance.now() - startMs })
        }
      }
      parentPort.postMessage(null)
    })`, { eval: true, workerData: { url: new URL('../services/redaction.ts', import.meta.url).href, units, size } })
  t.teardown(() => worker.terminate())
  const limitMs = 10_000
  let slowest = { unit: '', ms: 0 }
  let last = ''
  const outcome = await new Promise<string>((resolve) => {
    let timer = setTimeout(() => resolve('too slow'), 3 * limitMs)
    worker.on('error', (error) => resolve(String(error)))
    worker.on('message', (told: { unit: string, ms: number } | null) => {
      clearTimeout(timer)
      if (told === null) return resolve('finished')
      last = told.unit
      if (told.ms > slowest.ms) slowest = told
      timer = setTimeout(() => resolve('too slow'), limitMs)
    })
  })
  t.equal(outcome, 'finished', `after ${JSON.stringify(last)}; slowest: ${JSON.stringify(slowest.unit)} with ${Math.round(slowest.ms)} ms`)
  t.comment(`slowest: ${JSON.stringify(slowest.unit)} with ${Math.round(slowest.ms)} ms`)
})

/** One for each place, so that a leak tells where it comes from. */
const planted = {
  title: 'TitleCanary7aB3cD4eF', message: 'MessageCanary7aB3cD4eF', answer: 'AnswerCanary7aB3cD4eF', reasoning: 'ReasonCanary7aB3cD4eF', argument: 'ArgumentCanary7aB3cD4eF', field: 'FieldCanary7aB3cD4eF',
  result: 'ResultCanary7aB3cD4eF', summary: 'SummaryCanary7aB3cD4eF', imported: 'ImportCanary7aB3cD4eF', foreign: 'ForeignCanary7aB3cD4eF'
}
const key = (name: keyof typeof planted): string => `sk-proj-${planted[name]}`
const leaks = (text: string): string[] => Object.entries(planted).filter(([, secret]) => text.includes(secret)).map(([name]) => name)

const foreignId = '5a0ddcd0-5487-4794-99ac-143f6bb9e248'

function plantForeign (folder: string): void {
  const entry = (type: string, minute: number, message: object) => `${JSON.stringify({ type, uuid: `uuid-${minute}`, cwd: folder, timestamp: `2026-02-03T10:0${minute}:00Z`, message })}\n`
  mkdirSync(join(folder, '.claude', 'projects', '-x'), { recursive: true })
  writeFileSync(join(folder, '.claude', 'projects', '-x', `${foreignId}.jsonl`),
    entry('user', 1, { role: 'user', content: `Foreign ${key('foreign')} key` }) + entry('assistant', 2, { id: 'm1', role: 'assistant', model: 'claude', content: [{ type: 'text', text: `I see ${key('foreign')}` }] }))
}

const fileWithSecret = `DB_PASSWORD=${planted.result}\nAPI=${key('result')}\n`
const planting = (): ModelStep[][] => [
  [{ reasoning: `Their key is ${key('reasoning')} then. ` }, { text: `I keep ${key('answer')} safe.` }, { tool: 'read_file', args: { path: 'app.conf' } }, { tool: 'read_file', args: { path: `missing-${key('argument')}`, api_key: planted.field } }],
  [{ text: `It says password: "${planted.answer}".` }]
]

/** A conversation with a secret in each of its places, and one that was brought in. */
async function plant (service: ChatService): Promise<{ id: string, imported: string, model: string, done: string }> {
  writeFileSync(join(service.workspace, 'app.conf'), fileWithSecret)
  const id = await service.newSession()
  const model = service.model(...planting())
  const { frames } = await service.turn(id, `Keep ${key('message')} for me`, model)
  await service.turn(id, 'More', service.model())
  service.app.db.transaction(() => {
    service.app.sessions.transcript.compress(id, { summary: `They have ${key('summary')}.`, keptRows: 2, contextTokens: 100 })
    service.app.sessions.changed('session_compressed', id)
  })
  await service.post('/api/session/rename', { session_id: id, title: `Key ${key('title')} of ours` })
  const { body } = await service.post('/api/session/import', { title: `Import ${key('title')}`, messages: [{ role: 'user', content: [{ type: 'text', text: `in parts ${key('imported')}` }] }, { role: 'assistant', content: key('imported'), tool_calls: [{ id: 'c', type: 'function', function: { name: 'sh', arguments: JSON.stringify({ token: planted.imported }) } }] }] })
  return { id, imported: body.session.session_id, model, done: JSON.stringify(frames.find((frame) => frame.event === 'done')!.data.session) }
}

t.test('what was said of secrets stays inside, and the model is told', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'redaction-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  plantForeign(folder)
  const service = await startChat(t, { folder })
  await eventually('the other front end\'s session', async () => (await service.get('/api/sessions')).body.cli_count === 1)
  const { id, imported, model, done } = await plant(service)

  const open = gate()
  const streamId = await service.send(id, `Once more ${key('message')}`, { model: service.model(held(open, [{ text: `Well, ${key('answer')}` }], [{ text: ' it is.' }])) })
  const reader = await service.watch(streamId)
  await reader.until('token')
  const during = await service.get(`/api/session?session_id=${id}`)
  const duringWindow = await service.get(`/api/session?session_id=${id}&msg_limit=2`)
  t.match(during.body.session.messages.at(-1), { _active_turn_user: true, content: `Once more ${mask}` })
  open.open()
  await reader.ended

  const post = (path: string, body: object = {}): Promise<Answer> => service.post(path, { session_id: id, ...body })
  const share = (await post('/api/session/share')).body
  const search = (q: string): Promise<Answer> => service.get(`/api/sessions/search?depth=0&q=${encodeURIComponent(q)}`)
  const branch = await post('/api/session/branch', { title: 'A branch' })
  const surfaces: Record<string, Answer | string> = {
    done,
    'the done frame of the second turn': JSON.stringify(reader.frames.find((frame) => frame.event === 'done')!.data.session),
    during,
    duringWindow,
    share: await service.get(share.path),
    branch,
    list: await service.get('/api/sessions'),
    'archived list': await service.get('/api/sessions?include_archived=1&all_profiles=1'),
    'foreign list': await service.get('/api/sessions?sidebar_source=cli'),
    'search by title': await search('of ours'),
    'search by content': await search('safe'),
    'search of parts': await search('in parts'),
    'search of foreign titles': await search('foreign'),
    'search for all': await search(''),
    status: await service.get(`/api/session/status?session_id=${id}`),
    shares: await service.get(`/api/session/shares?session_id=${id}`),
    'worktree status': await service.get(`/api/session/worktree/status?session_id=${id}`),
    'worktree removal': await post('/api/session/worktree/remove'),
    rename: await post('/api/session/rename', { title: `Key ${key('title')} of ours` }),
    pin: await post('/api/session/pin'),
    archive: await post('/api/session/archive', { archived: false }),
    move: await post('/api/session/move'),
    update: await post('/api/session/update', { workspace: service.workspace }),
    duplicate: await post('/api/session/duplicate'),
    import: await service.post('/api/session/import', (await service.get(`/api/session/export?session_id=${imported}`)).body)
  }
  for (const session of [id, imported, branch.body.session_id, foreignId]) {
    for (const query of ['', '&msg_limit=3', '&msg_limit=500', '&msg_before=2', '&messages=0']) surfaces[`detail of ${session} ${query}`] = await service.get(`/api/session?session_id=${session}${query}`)
    if (session === foreignId) continue
    for (const format of ['json', 'html']) surfaces[`export of ${session} as ${format}`] = await service.get(`/api/session/export?session_id=${session}&format=${format}`)
  }
  for (const [name, surface] of Object.entries(surfaces)) {
    const text = typeof surface === 'string' ? surface : surface.text
    t.same(leaks(text), [], name)
    t.ok(text.length > 10 && (typeof surface === 'string' || surface.status < 400 || name === 'worktree removal'), `${name} says something`)
  }
  for (const name of ['during', 'share', 'list', 'search by title', 'search by content', 'search of parts', `export of ${id} as json`, `export of ${id} as html`, `detail of ${foreignId} `]) {
    const surface = surfaces[name]!
    t.ok((typeof surface === 'string' ? surface : surface.text).includes(mask), `${name} shows that something is left out`)
  }

  const errors: Array<[string, Promise<Answer>]> = [
    ['a wrong id', service.get(`/api/session?session_id=${key('message')}`)], ['a wrong stream', service.get(`/api/chat/stream?stream_id=${key('message')}`)],
    ['a wrong role', service.post('/api/session/import', { messages: [{ role: key('imported'), content: 'x' }] })], ['a wrong type', post('/api/session/rename', { title: [key('title')] })],
    ['a wrong folder', post('/api/session/update', { workspace: `/${key('message')}` })], ['no JSON', service.post('/api/session/rename', `{"title": ${key('title')}`)],
    ['a wrong format', service.get(`/api/session/export?session_id=${id}&format=${key('message')}`)], ['a wrong setting', service.post('/api/settings', { pinned_sessions_limit: key('message') })]
  ]
  for (const [what, answer] of errors) {
    const { status, text } = await answer
    t.ok(status >= 400 && status < 500, what)
    t.same(leaks(text), [], what)
  }

  const shown = JSON.stringify(service.requests(model).map(({ messages }) => messages))
  t.same(leaks(shown).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result'], 'the model saw what was said')
  const last = service.model()
  await service.turn(branch.body.session_id, 'And here?', last)
  t.ok(JSON.stringify(service.requests(last)[0]!.messages).includes(planted.summary))

  await service.post('/api/settings', { api_redact_enabled: false })
  t.same(leaks((await service.get(`/api/session?session_id=${id}`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'], 'whoever wants to see them can')
  t.same(leaks((await service.get('/api/sessions')).text).sort(), ['foreign', 'title'])
  t.same(leaks((await service.get(`/api/session/export?session_id=${id}`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'])
  t.same(leaks((await service.get(`/api/session/export?session_id=${id}&format=html`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'])
  t.same(leaks((await service.get(`/api/session?session_id=${imported}&msg_limit=5`)).text).sort(), ['imported', 'title'])
  t.same(leaks((await service.get(`/api/session?session_id=${foreignId}`)).text), ['foreign'])
  const plain = (await post('/api/session/share')).body
  t.same(leaks((await service.get(plain.path)).text), [], 'what is shared stays masked')
  await service.post('/api/settings', { api_redact_enabled: true })
  t.same(leaks((await service.get(`/api/session/shares?session_id=${id}`)).text), [], 'also in the list of what was shared meanwhile')
  t.same(leaks((await service.get(`/api/session?session_id=${id}`)).text), [])
})

t.test('the setting says what it is, and keys that nobody knows are left alone', async (t) => {
  const service = await startChat(t)
  t.match((await service.get('/api/settings')).body, { api_redact_enabled: true })
  for (const wrong of ['no', 0, [], {}]) t.match(await service.post('/api/settings', { api_redact_enabled: wrong }), { status: 400, body: { error: /api_redact_enabled/ } })
  t.match(await service.post('/api/settings', { api_redact_enabled: null }), { status: 200, body: { api_redact_enabled: true } })
  t.match(await service.post('/api/settings', '{"toString": 1, "valueOf": {}, "hasOwnProperty": "x", "__proto__": {"a": 1}, "constructor": {"b": 2}, "api_redact_enabled": false}'), { status: 200, body: { api_redact_enabled: false } })
  t.match((await service.get('/api/settings')).body, { api_redact_enabled: false })
})

t.test('nothing of it stands in the log', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'redaction-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  plantForeign(folder)
  const endpoint = await startModelEndpoint()
  t.teardown(() => endpoint.close())
  const script = planting()
  endpoint.script((request) => request.stream ? script.shift() ?? [{ text: 'Done.' }] : [{ text: `Title ${key('title')}` }])
  const password = 'a-password-Canary7aB3cD4eF'
  const server = await spawnServer(t, folder, { LOG_LEVEL: 'debug', OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'sk-env-Canary7aB3cD4eF5gH', SVC_WEBUI_PASSWORD: password })
  t.not(server.url, '', server.output())
  writeFileSync(join(folder, 'workspace', 'app.conf'), fileWithSecret)
  const login = await fetch(`${server.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password }) })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  await server.json('/api/auth/login', { password: `${password}-wrong` })
  const json = (path: string, body?: object) => server.json(path, body, { cookie })
  const turn = async (id: string, message: string, model: string): Promise<void> => {
    const { stream_id: streamId } = await json('/api/chat/start', { session_id: id, message, model, model_provider: 'openai' })
    const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`, { cookie })
    await reader.ended
  }
  const { session: { session_id: id } } = await json('/api/session/new', {})
  await turn(id, `Keep ${key('message')} for me`, 'test-model')
  for (const fault of ['fault-401', 'fault-garbage']) await turn(id, `Again ${key('message')}`, fault)
  await json('/api/session/rename', { session_id: id, title: `Key ${key('title')}` })
  await json('/api/session/import', { title: key('title'), messages: [{ role: 'user', content: key('imported') }] })
  await json('/api/session/import', { messages: [{ role: key('imported') }] })
  const share = await json('/api/session/share', { session_id: id })
  for (const path of [share.path, `/share/${share.token}x`, `/${key('message')}`, `/api/sessions/search?q=${key('message')}`, `/api/session?session_id=${key('message')}`, `/api/session?session_id=${foreignId}`, `/api/session/export?session_id=${id}&format=html`, `/?token=${planted.field}`]) {
    await (await fetch(server.url + path, { headers: { cookie, authorization: `Bearer ${planted.field}` } })).text()
  }
  await server.end('SIGTERM')
  const output = server.output()
  t.ok(output.split('\n').length > 20, 'it was told to say a lot')
  t.match(output, /"path":"\/api\/session\/export"/)
  t.same(leaks(output), [])
  for (const [what, secret] of Object.entries({ password, cookie: cookie.split('=')[1]!.slice(0, 20), 'the provider\'s key': 'Canary7aB3cD4eF5gH', 'a key that a provider says': '12345678abcdef', 'the address of what is shared': share.token })) {
    t.notOk(output.includes(secret), what)
  }
})
