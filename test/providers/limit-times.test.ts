import { APICallError } from '@ai-sdk/provider'
import fc from 'fast-check'
import t from '#test'
import { classifyModelError, limitWords, saysUsedUp } from '../../services/providers/index.js'
import { believed, limitResets, longestLimitMs, retryAfter, retryInfo } from '../../services/providers/limit-times.js'

/** A Saturday: 09:00:00 UTC, 10:00 in Berlin, 04:00 in New York. */
const nowMs = Date.UTC(2026, 10, 28, 9)
const hours = (count: number): number => count * 3_600_000
const minutes = (count: number): number => count * 60_000
const zone = 'UTC'

t.test('headers say when requests are taken again', (t) => {
  const cases: Array<[Record<string, string>, number | undefined]> = [
    [{ 'retry-after': '120' }, minutes(2)],
    [{ 'retry-after': '7200.5' }, 7_200_500],
    [{ 'retry-after-ms': '90000', 'retry-after': '1' }, 90_000],
    [{ 'retry-after': new Date(nowMs + hours(2)).toUTCString() }, hours(2)],
    [{ 'retry-after': new Date(nowMs + hours(5)).toUTCString(), date: new Date(nowMs + hours(3)).toUTCString() }, hours(2)],
    [{ 'retry-after': '-30' }, 0],
    [{ 'retry-after': new Date(nowMs - hours(2)).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '1e400' }, undefined],
    [{}, undefined]
  ]
  for (const [headers, ms] of cases) t.equal(retryAfter(headers, nowMs), ms, JSON.stringify(headers))
  const resets: Array<[Record<string, string>, number | undefined]> = [
    [{ 'x-ratelimit-reset-tokens': '6m0s' }, minutes(6)],
    [{ 'x-ratelimit-reset-requests': '1h2m3.5s' }, hours(1) + minutes(2) + 3_500],
    [{ 'x-ratelimit-reset-requests': '250ms' }, 250],
    [{ 'x-ratelimit-reset': String((nowMs + hours(3)) / 1000), 'x-ratelimit-remaining': '0' }, hours(3)],
    [{ 'x-ratelimit-reset': String(nowMs + hours(3)) }, hours(3)],
    [{ 'x-ratelimit-reset': '45' }, 45_000],
    [{ 'x-ratelimit-reset': '2026-11-28T12:00:00Z' }, hours(3)],
    [{ 'anthropic-ratelimit-tokens-reset': '2026-11-28T10:30:00Z', 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-requests-reset': '2026-11-28T20:00:00Z', 'anthropic-ratelimit-requests-remaining': '900' }, hours(1.5)],
    [{ 'anthropic-ratelimit-unified-reset': String((nowMs + hours(4)) / 1000) }, hours(4)],
    [{ 'x-ratelimit-reset-requests': '23h', 'x-ratelimit-remaining-requests': '99', 'x-ratelimit-reset-tokens': '20s', 'x-ratelimit-remaining-tokens': '12' }, 20_000],
    [{ 'x-ratelimit-reset-requests': '2h', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-tokens': '3h', 'x-ratelimit-remaining-tokens': '0' }, hours(3)],
    [{ 'x-ratelimit-reset': '2020-01-01T00:00:00Z' }, undefined],
    [{ 'x-ratelimit-reset-tokens': '900h' }, undefined],
    [{ 'x-ratelimit-reset-tokens': 'NaN' }, undefined],
    [{ 'x-ratelimit-limit-tokens': '100' }, undefined]
  ]
  for (const [headers, ms] of resets) t.equal(limitResets(headers, nowMs), ms, JSON.stringify(headers))
})

t.test('so do bodies of Google\'s', (t) => {
  const body = (retryDelay: unknown): unknown => ({ error: { code: 429, details: [{ '@type': 'type.googleapis.com/google.rpc.Help' }, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] } })
  t.equal(retryInfo(body('34.07s')), 34_070)
  t.equal(retryInfo([body('7200s')]), hours(2))
  t.equal(retryInfo(body({ seconds: '90' })), 90_000)
  for (const odd of ['-3s', 'soon', null, '99999999s', {}]) t.equal(retryInfo(body(odd)), undefined, JSON.stringify(odd))
  t.equal(retryInfo(null), undefined)
})

t.test('and words of agents and providers', (t) => {
  const cases: Array<[string, number | undefined]> = [
    ['You\'ve hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 5 minutes.', hours(76) + minutes(5)],
    ['You\'ve hit your usage limit. Try again in 1 day, 2 hours and 30 minutes.', hours(26.5)],
    ['Rate limit reached for gpt-5. Please try again in 6m0s. Visit …', minutes(6)],
    ['Please try again in 2m59.56s.', 179_560],
    ['Please retry in 34.07s.', 34_070],
    ['retry after 90 seconds', 90_000],
    ['5-hour limit reached ∙ resets 6pm', hours(9)],
    ['You\'ve hit your limit · resets 6pm (Europe/Berlin)', hours(8)],
    ['You\'ve hit your session limit · resets 3:45pm (UTC)', hours(6.75)],
    ['Weekly limit reached ∙ resets Mon 12:00 AM', hours(39)],
    ['Weekly limit reached ∙ resets Dec 1 at 10am (America/New_York)', hours(78)],
    ['You have hit your usage limit. Try again at Nov 30th, 2026 3:04 PM.', hours(54) + minutes(4)],
    ['You will regain access on 2026-12-01 at 00:00 UTC.', hours(63)],
    ['Your limit will reset at 2026-11-28 15:04:05', hours(6) + minutes(4)],
    ['limit reached, resets at 2026-11-28T12:00:00Z', hours(3)],
    ['resets 8am', hours(23)],
    ['resets 8am (PST)', hours(7)],
    ['resets at 18:30 +02:00', hours(7.5)],
    [`Claude AI usage limit reached|${(nowMs + hours(2)) / 1000}`, hours(2)],
    [`Claude AI usage limit reached|${(nowMs - hours(2)) / 1000}`, undefined],
    ['resets at 2020-01-01T00:00:00Z', undefined],
    ['try again in 400 days', undefined],
    ['try again later', undefined],
    ['resets 25pm', undefined],
    ['resets 99:99', undefined],
    ['', undefined]
  ]
  for (const [words, ms] of cases) t.equal(limitWords(words, { nowMs, zone }), ms, words)
  t.equal(limitWords('resets 6pm', { nowMs, zone: 'Europe/Berlin' }), hours(8), 'a time without a zone is in that of the machine')
  t.equal(limitWords('resets 6pm (Nowhere/AtAll)', { nowMs, zone }), hours(9))
  t.equal(limitWords('resets 2:30am (Europe/Berlin)', { nowMs: Date.UTC(2027, 2, 28, 0, 0), zone }), hours(1.5), 'an hour that the clock leaves out')
  for (const words of ['Claude AI usage limit reached|1', 'You\'ve hit your limit · resets 6pm', '5-hour limit reached', 'Weekly limit reached', 'you are out of extra usage']) t.ok(saysUsedUp(words), words)
  for (const words of ['429 rate limit', 'Rate limit reached for gpt-5', 'You have hit your rate limit', 'no quota']) t.notOk(saysUsedUp(words), words)
})

t.test('whatever is said, what comes of it is a time ahead and no more than eight days away', (t) => {
  const words = fc.array(fc.oneof(fc.constantFrom('resets', 'try again in', 'at', 'am', 'pm', 'mon', 'nov', 'utc', '(europe/berlin)', 'days', 'h', '|', ':', '-'), fc.integer().map(String), fc.string({ maxLength: 5 })), { maxLength: 12 }).map((parts) => parts.join(' '))
  fc.assert(fc.property(words, fc.dictionary(fc.constantFrom('x-ratelimit-reset', 'x-ratelimit-reset-tokens', 'anthropic-ratelimit-tokens-reset'), fc.string()), (text, headers) => {
    for (const ms of [limitWords(text, { nowMs, zone }), limitResets(headers, nowMs)]) if (ms !== undefined && !(ms > 0 && ms <= longestLimitMs)) throw new Error(`${text}: ${ms}`)
  }))
  for (const ms of [Number.NaN, 0, -1, longestLimitMs + 1, Infinity, undefined]) t.equal(believed(ms), undefined)
})

t.test('a limit that passes is told from one that is over within a minute, and from an account without money', (t) => {
  const refused = (statusCode: number, responseHeaders: Record<string, string>, error: Record<string, unknown> = { message: 'No' }): APICallError =>
    new APICallError({ message: 'No', url: 'https://model.example.org', requestBodyValues: {}, statusCode, responseHeaders, responseBody: JSON.stringify({ error }), isRetryable: statusCode === 429 })
  const cases: Array<[APICallError, string, number | null | undefined]> = [
    [refused(429, { 'retry-after': '600' }), 'rate_limit', 600_000],
    [refused(429, { 'retry-after': '60' }), 'rate_limit', undefined],
    [refused(429, { 'retry-after': '0' }), 'rate_limit', undefined],
    [refused(429, {}), 'rate_limit', null],
    [refused(429, { 'retry-after': '9'.repeat(300) }), 'rate_limit', null],
    [refused(429, { 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }), 'rate_limit', 360_000],
    [refused(429, {}, { message: 'Please try again in 1h1m.' }), 'rate_limit', 3_660_000],
    [refused(429, {}, { message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7200s' }] }), 'quota_exhausted', 7_200_000],
    [refused(429, {}, { message: 'You exceeded your current quota', code: 'insufficient_quota' }), 'quota_exhausted', undefined],
    [refused(402, {}), 'quota_exhausted', undefined],
    [refused(429, {}, { message: 'Usage limit reached for 5 hour.' }), 'quota_exhausted', null],
    [refused(503, { 'retry-after': '600' }), 'error', undefined]
  ]
  for (const [error, type, waitMs] of cases) {
    const found = classifyModelError(error, 'Somebody')
    t.equal(found.type, type, `${error.statusCode} ${error.responseBody}`)
    t.equal(found.limit?.waitMs, waitMs, JSON.stringify([error.responseHeaders, error.responseBody]).slice(0, 200))
  }
})
