import { Type, type ObjectOptions, type TProperties } from '@sinclair/typebox'
import { type ErrorEntry, errorCodes, type ErrorCode, plainErrors } from './error-codes.js'

const names: Record<number, string> = {
  400: 'BadRequest', 401: 'Unauthenticated', 403: 'Refused', 404: 'NotFound', 405: 'WrongMethod', 408: 'TooSlow', 409: 'Conflict',
  413: 'TooLarge', 414: 'AddressTooLong', 415: 'UnsupportedMediaType', 416: 'RangeNotSatisfiable', 429: 'TooMany', 431: 'HeadersTooLarge', 500: 'Fault',
  502: 'NotRelayed', 503: 'Unavailable'
}

/** The codes that a status can have. */
type CodeOf<Status extends number> = { [Code in ErrorCode]: Status extends (typeof errorCodes)[Code]['statuses'][number] ? Code : never }[ErrorCode]

const codesOf = (status: number) =>
  Object.entries<ErrorEntry>(errorCodes).filter(([, { statuses }]) => statuses.includes(status)).map(([code]) => code as ErrorCode)
const plainOf = (status: number) => plainErrors.filter(({ statuses }) => statuses.includes(status))

/** Returns the body of failures with these codes, and without a code if `plain` has entries. */
function bodyOf (codes: readonly ErrorCode[], plain: readonly ErrorEntry[], naming: ObjectOptions) {
  const entries: ErrorEntry[] = [...codes.map((code) => errorCodes[code]), ...plain]
  const causes = [...codes.map((code) => `\`${code}\`: ${errorCodes[code].when}`), ...plain.map(({ when }) => when)]
  const code = Type.Unsafe<string>({ type: 'string', enum: [...codes], description: 'the name of the error, for clients to act on' })
  return Type.Object({
    error: Type.String({ description: 'what went wrong, for a person' }),
    ...(codes.length === 0 ? {} : { code: plain.length === 0 ? code : Type.Optional(code) }),
    ...Object.assign({}, ...entries.map(({ details }) => details)) as TProperties
  }, { additionalProperties: false, description: causes.join('; '), ...naming })
}

const bodies = new Map(Object.entries(names).map(([status, title]) => {
  const plain = plainOf(Number(status))
  return [Number(status), bodyOf(codesOf(Number(status)), plain, { title, description: plain.map(({ when }) => when).join('; ') })]
}))

function bodyFor (status: number): ReturnType<typeof bodyOf> {
  const body = bodies.get(status)
  if (body === undefined) throw new Error(`No error has the status ${status}`)
  return body
}

type Answers = Readonly<Record<number, ReturnType<typeof bodyOf>>>
const answersOf = new Map<string, Answers>()

/** Returns the error answers of a route, for its `response`: the same object each time for the same statuses. */
export function errors (...statuses: number[]): Answers {
  const key = statuses.join(' ')
  let answers = answersOf.get(key)
  if (answers === undefined) answersOf.set(key, answers = Object.fromEntries(statuses.map((status) => [status, bodyFor(status)])))
  return answers
}

/**
 * Returns the conflicts that a route answers, for its `response` besides `errors`: their codes, and `uncoded` for those of `plainErrors`.
 * Tests fail when a route answers another one.
 */
export function conflicts (...which: Array<CodeOf<409> | 'uncoded'>) {
  const codes = which.filter((code) => code !== 'uncoded')
  return { 409: bodyOf(codes, which.includes('uncoded') ? plainOf(409) : [], {}) }
}

/**
 * Returns the conflicts of a route that starts turns. Another program has priority in a conversation that a session shares with it, and no
 * turn begins in a worktree that is being removed.
 */
export const startConflicts = (...which: Array<CodeOf<409>>) =>
  conflicts(...which, 'terminal_busy', 'terminal_lost', 'terminal_wrote', 'worktree_leaving', 'uncoded')

/** Returns the answers of a route with one more conflict. */
export function conflictsToo (response: Record<string, object>, code: CodeOf<409>): Record<string, object> {
  const { 409: added } = conflicts(code)
  const before = response[409] as (typeof added) | undefined
  if (before === undefined) return { ...response, 409: added }
  const { code: known } = before.properties as { code?: { enum: string[] } }
  return {
    ...response,
    409: {
      ...before,
      description: `${before.description}; ${added.description}`,
      properties: { ...before.properties, ...added.properties, code: { ...added.properties.code, enum: [...(known?.enum ?? []), code] } }
    }
  }
}
