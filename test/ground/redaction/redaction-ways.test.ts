import fc from 'fast-check'
import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from '#test'
import { beginningOf, firstCharacters, knownSecrets, mask, redact, redactAhead, redactDeep, redactDeepGently, redactDeepOver, redactGently, secretsOfSettings, secretsOfVariables, StreamMask } from '../../../services/ground/redaction/index.js'
import { knownMasked } from '../../../services/ground/redaction/redaction.js'
import { wholeEnd, wholeTo } from '../../../services/ground/text/whole-characters.js'
import { hostile } from '../../support/hostile-texts.js'
import { tries } from '../../support/tries.js'

const secret = 'hunter22Xy'
const key = 'sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8xYz'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const wideSpace = String.fromCodePoint(0xa0)

/** Ways in which a secret is joined to something, is split, or has its name where a simple search does not find it. */
const ways: Record<string, string> = {
  'NUL, as an environment has it': `HOME=/root\0API_TOKEN=abcdefgh1\0PASSWORD=${secret}\0TERM=x`,
  'another control character': `A=b\u0001PASSWORD=${secret}\u0001C`,
  'cat -v': `A=b^@PASSWORD=${secret}^@C=d`,
  'NUL in JSON': JSON.stringify(`A=b\0PASSWORD=${secret}\0C=d`),
  'NUL in JSON in JSON': JSON.stringify(JSON.stringify(`A=b\0PASSWORD=${secret}\0C=d`)),
  'NUL in Python': `b'A=b\\x00PASSWORD=${secret}\\x00C=d'`,
  'NUL in printf': `A=b\\0PASSWORD=${secret}\\0C=d`,
  'a carriage return': `A=b\rPASSWORD=${secret}\rC=d`,
  'a space without a width in the name': `PASS\u200bWORD=${secret}`,
  'a soft hyphen in the value': 'PASSWORD=hun\u00adter22Xy',
  colours: `\u001b[32mPASSWORD\u001b[0m=\u001b[1;31m${secret}\u001b[0m ok`,
  'colours, written out': `\\e[32mPASSWORD\\e[0m=\\e[31m${secret}\\e[0m`,
  'a link of a terminal': `\u001b]8;;x\u0007PASSWORD\u001b]8;;\u0007=${secret}`,
  'another space': `password:${wideSpace}${secret}`,
  'two words': `PASSWORD="${secret} and more"`,
  'words of letters': 'export PASSWORD="correct horse battery"',
  'small letters': 'password="correct horse battery"',
  'three quotation marks': `password = """${secret}"""`,
  'pw=': `pw=${secret}`,
  '_pw:': `db_pw: ${secret}`,
  'pass=': `pass=${secret}`,
  mysql: `mysql -u root -p${secret} db`,
  'mysqldump in quotation marks': "mysqldump -p'two words' db",
  sshpass: `sshpass -p ${secret} ssh host`,
  'docker login': `docker login -u ada -p ${secret} registry.example`,
  'redis-cli': `redis-cli -h x -a ${secret} ping`,
  openssl: `openssl rsa -in x -passin pass:${secret}`,
  'curl without a space': `curl -uada:${secret} https://a.example`,
  'an option with one stroke': `tool -Password ${secret}`,
  fish: `set -x DB_PASSWORD ${secret}`,
  '.netrc': `machine api.example login ada password ${secret}`,
  '.pgpass': `db.example:5432:shop:ada:${secret}\n`,
  '.pgpass for all': `*:*:*:ada:${secret}`,
  '.kube/config': `    client-key-data: ${Buffer.from(secret.repeat(4)).toString('base64')}\n`,
  '.netrc on lines': `machine api.example\n  login ada\n  password ${secret}\n`,
  '.npmrc': `//registry.example/:_authToken=${secret}`,
  'a login of Docker': JSON.stringify({ auths: { r: { auth: base64(`ada:${secret}`) } } }),
  'a signed address': `https://x.example/f?se=1&sig=${secret}%2Fa%3D&sp=r`,
  'a signed address of Amazon': `https://x.example/f?X-Amz-Signature=${secret}0a1b`,
  'a token of an address': `https://x.example/?a=b&token=${secret}`,
  'a code of an address': `https://x.example/cb?code=4/0A${secret}zz&state=1`,
  'a fragment': `https://x.example/#access_token=${secret}&x=1`,
  'an address in an address': `https://x.example/?u=https%3A%2F%2Fada%3A${secret}%40host%2F`,
  'a parameter in an address in an address': `u=%3Ftoken%3D${secret}%26y`,
  'X-Auth': `X-Auth: ${secret}`,
  'X-Auth in a command': 'curl -H "X-Auth: correcthorse" https://a.example',
  'a refresh token of Google': `1//0g${secret}AbCdEfGhIjKlMn`,
  'a key with a stroke in front of it': `my_${key}`,
  markdown: `**Password:** \`${secret}\``,
  'a block of YAML': `db:\n  password: |\n    ${secret}\nname: x`,
  'its second line': `  password: |\n    <see below>\n    ${secret}\n`,
  'its third line, folded, with a sign and a comment': `token: >2- # of Ann\r\n  abcdefgh1\r\n  ijklmnop2\r\n  ${secret}\r\nname: x`,
  'a table': `| password | ${secret} |`,
  'a sentence': `The password is "${secret}".`,
  'YAML on lines': `password: >-\n  ${secret} and more\n`,
  'a container': `- name: DB_PASSWORD\n  value: ${secret}`,
  'a container in JSON': `{"name":"DB_PASSWORD","value":"${secret}"}`,
  'an attribute': `<add name="password" value="${secret}"/>`,
  'a call': `config.setPassword("${secret}")`,
  'a hash': `root:$6$saltsalt$${secret}${'A1b2'.repeat(10)}:19000:0:99999`,
  'a JSON web key': `{"kty":"OKP","crv":"Ed25519","d":"${secret}${'a1B2'.repeat(8)}"}`,
  'a key that is cut off': `It is ${key.slice(0, 14)}`,
  'a key that is cut with dots': `It is ${key.slice(0, 15)}… and more`,
  'the end of the text': 'password: correcthorsebattery'
}
const parts = [secret, 'Ab3dEf', 'ter22Xy', 'horse', 'words', 'Ab3dEf6h', 'abcdefgh1', base64(`ada:${secret}`)]

t.test('however it is glued or split', async (t) => {
  for (const [what, text] of Object.entries(ways)) {
    const shown = redact(text)
    t.ok(shown.includes(mask), `${what}: ${JSON.stringify(shown)}`)
    t.notOk(parts.some((part) => shown.includes(part)), `${what}: ${JSON.stringify(shown)}`)
    t.equal(redact(shown), shown, `${what}: once is enough`)
  }
  t.equal(redact(`A=b\0PASSWORD=${secret}\0C`), `A=b\0PASSWORD=${mask}\0C`, 'around it nothing changes')
})

t.test('what is no secret there either', async (t) => {
  const harmless = [
    'mysql -p db', 'mysql --port 3306 -u root', 'docker run -p 8080:80 image', 'login with your name and password please', 'The machine needs a login and a password to start', 'https://x.example/?page=2&key=name&code=200&session=list', 'GET /api/session?session_id=abcdef012345&msg_limit=5',
    'X-Auth: required', 'x-request-id: 0a1b2c3d4e5f', 'The token is valid', 'The password is required', 'token is base64-encoded', '**Token:** a word for something', '| token | meaning |', '| secret | string |', 'name: token\nvalue: none', 'setToken("Access token")', 'tokens: |\n  true\n  false\nx: 1', 'PRIMARY_KEY=a1b2c3d4e5f6a7b8c9d0',
    'sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f9', 'f\u200bl\u200bo\u200bw', '⚠️ tokens are counted', 'v1.0-alpha', 'a-b-c', 'passwd: files systemd', 'auth: none', '"auth": "basic"', 'pass: 12', '# pass 12', 'const tokenValue = collectASequence(', "{ key: 'signing_key', value: made.toString('hex') }"
  ]
  for (const text of harmless) t.equal(redact(text), text)
})

const own = 'p@ss w0rd"of/mine'
knownSecrets.keep([own, 'Blue-Lantern-77', 'short'])

t.test('the service\'s own secrets, however they are written', async (t) => {
  const written: Record<string, string> = {
    'as it is': own, 'in JSON': JSON.stringify({ a: own }), 'in JSON in JSON': JSON.stringify(JSON.stringify(own)), 'in an address': encodeURIComponent(own), 'in a form': encodeURIComponent(own).replaceAll('%20', '+'), 'in small letters': encodeURIComponent(own).toLowerCase(),
    'half encoded': 'p@ss%20w0rd%22of/mine', 'with strokes': 'p@ss w0rd\\"of\\/mine', 'in HTML': own.replaceAll('"', '&quot;'), 'in hex': Buffer.from(own).toString('hex'), 'in base64': base64(own), 'with a name': base64(`ada:${own}`), 'with another name': base64(`adam:${own}`), 'and another': base64(`adams:${own}:x`),
    'for addresses': Buffer.from(`a:${own}`).toString('base64url'), wrapped: `${own.slice(0, 9)}\n   ${own.slice(9)}`, 'from two texts': `"${own.slice(0, 8)}" + "${own.slice(8)}"`, 'with a space that is not seen': 'p@ss\u200b w0rd"of/mine', coloured: 'p@ss \u001b[1mw0rd\u001b[0m"of/mine', 'cut with dots': `see ${own.slice(0, 9)}…`, 'cut off': `see ${own.slice(0, 14)}`
  }
  for (const [what, text] of Object.entries(written)) {
    const shown = redact(text)
    t.ok(shown.includes(mask) && !/w0rd|ss w0|cEBzcyB3|dzByZC/.test(shown), `${what}: ${shown}`)
  }
  t.equal(redact('this is short'), 'this is short', 'a short one would mask half of a text')
  t.equal(redact('Blue is a colour, and a Lantern a lamp'), 'Blue is a colour, and a Lantern a lamp')
  t.same(redactDeep({ content: 'It is Blue-Lantern-77.', session_id: 'abc' }), { content: `It is ${mask}.`, session_id: 'abc' })
})

t.test('which variables and settings are taken for secrets', async (t) => {
  t.same(secretsOfVariables({ OPENAI_API_KEY: 'abcdef-123456', PATH: '/usr/bin', TOKEN_FILE: '/run/token', DATABASE_URL: 'postgres://ada:s3cr3tPass@db/x', GITHUB_PAT: 'abc123def456', HOME: '/root', DEBUG_TOKEN: 'true', EMPTY_SECRET: '', UNSET_KEY: undefined }),
    ['abcdef-123456', 's3cr3tPass', 'abc123def456'])
  t.same(secretsOfSettings({ model: 'x', providers: { a: { api_key: 'abcdef-123456', base_url: 'https://x' } }, list: [{ token: 'zyx987wvu' }] }), ['abcdef-123456', 'zyx987wvu'])
})

t.test('a text is not cut inside of one', async (t) => {
  const text = `It is ${key} here`
  t.equal(beginningOf(text, 20), 'It is ')
  t.equal(beginningOf(text, 100), text)
  t.equal(beginningOf('It is a longer text without any', 10), 'It is a lo')
  t.equal(firstCharacters('🎉🎉🎉', 2), '🎉🎉')
})

t.test('nor inside a character', async (t) => {
  const text = 'a🎉b🎉'
  for (const [chars, beginning, end] of [[-1, '', ''], [0, '', ''], [1, 'a', ''], [2, 'a', '🎉'], [3, 'a🎉', 'b🎉'], [5, 'a🎉b', '🎉b🎉'], [6, text, text], [9, text, text]] as const) {
    t.equal(wholeTo(text, chars), beginning, `first ${chars}`)
    t.equal(beginningOf(text, Math.max(0, chars)), beginning, `first ${chars}, masked`)
    t.equal(wholeEnd(text, chars), end, `last ${chars}`)
  }
  t.equal(wholeTo('half \uD83C', 6), 'half \uD83C', 'what was not cut is not changed')
})

t.test('and none of it comes out of a stream', async () => {
  const told = fc.record({
    text: fc.tuple(fc.constantFrom('', 'Well. ', 'The key:\n', 'a '), fc.constantFrom(...Object.values(ways), `It is ${own}.`, `It is ${base64(`ada:${own}`)}!`), fc.constantFrom('', ' and so on.', '\nNext.')).map((pieces) => pieces.join('')),
    sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })
  })
  fc.assert(fc.property(told, ({ text, sizes }) => {
    const stream = new StreamMask()
    const shown = []
    for (let at = 0, index = 0; at < text.length; at += sizes[index % sizes.length]!, index++) shown.push(stream.push(text.slice(at, at + sizes[index % sizes.length]!)))
    shown.push(stream.end())
    assert.equal(shown.join(''), redact(text))
  }), { numRuns: tries(3_000) })
})

t.test('the end of a word is shown while the text pauses, though a secret of the service begins like it', async (t) => {
  // One for every letter, as a service with random secrets has.
  const values = [...'abcdefghijklmnopqrstuvwxyz'].map((letter, index) => `${letter}zQ${'8LmPw0aVtX4'.slice(index % 3)}${index}kR`)
  knownSecrets.keep(values)
  for (const [said, rest] of [['Bus', 'y'], ['I am ready', ' to go o', 'n'], ['It', ' i', 's'], ['Well, the end', 's']].map((pieces) => [pieces.slice(0, -1), pieces.at(-1)!] as const)) {
    const stream = new StreamMask({ isRead: true })
    stream.push(said.join(''))
    stream.push(rest)
    t.equal(stream.held, '', said.join('') + rest)
  }
  const glued = (options: { isRead?: boolean }, text: string): string => {
    const stream = new StreamMask(options)
    return [...[...text].map((character) => stream.push(character)), stream.end()].join('')
  }
  for (const value of values) {
    t.equal(glued({ isRead: true }, `It is ${value} here`), `It is ${mask} here`, 'one that begins a word is masked as a whole')
    t.equal(glued({ isRead: true }, `A bus${value} here, ${value}`), `A bus${value.slice(0, 2)}${mask} here, ${mask}`, 'of one that is glued to a word two letters are shown')
    t.equal(glued({ isRead: true }, `x=${value} -p${value} ${base64(`ada:${value}`)}.`), redact(`x=${value} -p${value} ${base64(`ada:${value}`)}.`))
    t.equal(glued({}, `A bus${value} here`), `A bus${mask} here`, 'of what is stored nothing is')
  }
})

t.test('what is held back has a limit, and what is longer is masked to its end', async (t) => {
  const stream = new StreamMask()
  let held = 0
  let shown = ''
  for (let piece = 0; piece < 6_000; piece++) {
    shown += stream.push(piece === 0 ? 'It is sk-1' : 'aB3cD4eF9')
    held = Math.max(held, stream.held.length)
  }
  shown += stream.push(' and that is all.') + stream.end()
  t.ok(held < 30_000, `${held} characters`)
  t.equal(shown, `It is ${mask} and that is all.`)
})

t.test('what an earlier masked copy hides stays hidden in a long text that is masked in pieces', async (t) => {
  for (const [kind, make] of Object.entries(hostile)) {
    const old = ['first-old-value', 'a second one\nof two lines', 'third']
    const text = old.map((value, index) => `${make(4_000)}\nNumber ${index}: ${value}, and so on.${index === 1 ? ` PASSWORD=${secret}` : ''}\n`).join(make(300))
    const before = old.reduce((shown, value) => shown.replace(value, mask), text)
    const value = { content: text }
    const expected = redactDeepOver(value, { content: before })
    await redactAhead(value, { content: before })
    t.equal(knownMasked(text, before), expected.content, kind)
    t.notMatch(expected.content, /old-value|hunter/, kind)
  }
})

t.test('a secret that becomes known while a long text is masked in pieces is masked in it, too', async (t) => {
  const late = 'late-Lantern-4711-battery'
  const text = `note: ${late} is here\n${'Plain words of a long message.\n'.repeat(5_000)}`
  const ahead = redactAhead(text)
  const gently = redactGently(text)
  const deep = redactDeepGently({ text, other: [`${text}.`] })
  await nextTurn()
  knownSecrets.keep([late])
  await ahead
  t.notMatch(redact(text).slice(0, 100), late)
  t.notMatch((await gently).slice(0, 100), late)
  t.notMatch(JSON.stringify(await deep), late)
})
