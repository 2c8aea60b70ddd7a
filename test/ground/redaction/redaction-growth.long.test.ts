import t from '#test'
import { knownSecrets, mask, redact, redactDeep, redactDeepGently, redactGently, StreamMask } from '../../../services/ground/redaction/index.js'
import { secrets, whole } from '../../support/credentials.js'
import { allHostile, hostile } from '../../support/hostile-texts.js'

/** Returns CPU time, the minimum of a few runs, because other processes use the machine too. */
function processorMs (work: () => void): number {
  return Math.min(...Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }))
}

function tell (text: string): string {
  const stream = new StreamMask()
  const shown = (text.match(/[^]{1,4096}/g) ?? []).map((piece) => stream.push(piece))
  return [...shown, stream.end()].join('')
}

const shortChars = 8_192
/** Compares with a text of four times the length: linear work takes four times as long, quadratic work sixteen times. */
const times = 4
const mostTimes = 9
/** Smaller figures are mostly noise. */
const smallMs = 25

for (const [way, work] of Object.entries({ 'as a whole': redact, 'while it is told': tell })) {
  t.test(`masking a text ${way} takes in proportion to its length, whatever it holds`, async (t) => {
    for (const [name, make] of Object.entries(hostile)) {
      const [short, long] = [make(shortChars), make(times * shortChars)]
      work(short)
      const shortMs = processorMs(() => { work(short) })
      const longMs = processorMs(() => { work(long) })
      t.ok(longMs < smallMs || longMs < mostTimes * shortMs, `${name}: ${shortMs.toFixed(1)} and ${longMs.toFixed(1)} ms`)
    }
  })
}

const long = [allHostile(60_000), ...secrets.map(([, text]) => `${whole(text)}\n\n${'Then we go on. '.repeat(40)}`)].join('\n')

t.test('in pieces a long text, and a value with many of them, is masked as the whole is, and others have their turn', async (t) => {
  let turns = 0
  const counting = setInterval(() => { turns++ }, 0)
  t.equal(await redactGently(long), redact(long))
  const value = { content: long, parts: [{ text: 'nothing' }, { text: long.slice(0, 20_000) }], args: { password: 'correct-horse-1' }, id: 'x' }
  t.strictSame(await redactDeepGently(value), redactDeep(value))
  clearInterval(counting)
  t.ok(turns > 10, `${turns} turns`)
  const plain = { content: 'The quick brown fox. '.repeat(1_000) }
  t.equal(await redactDeepGently(plain), plain, 'what holds nothing stays the same object')
})

t.test('of a value that is longer than patterns look at, nothing is told', async (t) => {
  for (const beginning of ['password=', 'api_key: ', 'Authorization: Bearer ', 'https://example.com/?sig=', 'sk-proj-']) {
    for (const chars of [600, 3_000, 20_000]) {
      const shown = tell(`It is ${beginning}${'x1'.repeat(chars / 2)} and so on. ${'More. '.repeat(300)}`)
      t.notMatch(shown, /x1x1/, `${beginning}${chars}: ${shown.slice(0, 60)}`)
      for (const size of [7, 100]) {
        const stream = new StreamMask()
        const told = (`It is ${beginning}${'x1'.repeat(chars / 2)} and so on.`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((piece) => stream.push(piece)).join('') + stream.end()
        t.ok(told.includes(mask) && !told.includes('x1x1'), `${beginning}${chars} in pieces of ${size}: ${told.slice(0, 60)}`)
      }
    }
  }
})

t.test('a secret that repeats itself, in a text that repeats it, costs in proportion to the length of the text', async (t) => {
  const repeating = 'abab'.repeat(250)
  knownSecrets.keep([repeating])
  const short = processorMs(() => tell(repeating.repeat(20)))
  t.ok(processorMs(() => tell(repeating.repeat(20 * times))) < smallMs + mostTimes * short)
  t.notMatch(tell(repeating.repeat(20)), /(?:ab){3}/)
})
