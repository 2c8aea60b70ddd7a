import { Ajv, type ValidateFunction } from 'ajv'
import { errors } from '../../schemas/errors.js'
import { openAiErrors } from '../../schemas/openai.js'
import { pointerPart, type OpenApi, type Operation } from './document.js'
import { type Made } from './requests.js'
import { type Answer } from './wire.js'

export interface Problem { kind: string, text: string }

export interface Judged {
  problems: Problem[]
  /** The answer as JSON; undefined for anything else. */
  body: unknown
  code: string | null
}

export interface JudgeOptions {
  document: OpenApi
  /** Texts that no answer may contain, unless the request contained them. */
  secrets: readonly string[]
  /** Folders that no error may name. */
  folders: readonly string[]
}

const scopes = ['read', 'chat', 'approve', 'admin', 'person']
const isHtml = (answer: Answer): boolean => answer.headers.get('content-type')?.startsWith('text/html') === true
/** Whether a path belongs to a protocol that others have defined, with its own form of errors. */
const isForeign = (path: string): boolean => /^\/(?:v1\/|mcp$)/.test(path)
/** Not checked in answers with stored content, such as a file, because the content may contain this. */
const stackTrace = /\n\s+at .{1,200}:\d+:\d+|node_modules\/|SQLITE_[A-Z]+|\bE(?:NOENT|ACCES|ISDIR|NOTDIR|INVAL|PERM|ROFS|XDEV|LOOP|NAMETOOLONG)\b/

/** Checks answers against the document, and against the rules for every answer. */
export function createJudge ({ document, secrets, folders }: JudgeOptions) {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, validateFormats: false, code: { optimize: false } })
  ajv.addSchema(document, 'document')
  const compiled = new Map<string, ValidateFunction>()
  const misfit = (schema: object, value: unknown, key: string): string | null => {
    const validate = compiled.get(key) ?? ajv.compile(schema)
    compiled.set(key, validate)
    if (validate(value)) return null
    const { instancePath, message, params } = validate.errors?.at(-1) ?? {}
    return `${instancePath ?? ''} ${message ?? ''} ${JSON.stringify(params)}, it is ${JSON.stringify(valueAt(value, instancePath ?? '')).slice(0, 500)}`
  }

  /** Returns what is wrong with the answer's status, type and body. */
  function unfit (operation: Operation, made: Made, answer: Answer, body: unknown): Problem[] {
    const { status } = answer
    const declared = operation.responses[String(status)]
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    if (declared === undefined) {
      if (status < 400 || status === 409 || !made.isSameRoute) return made.isSameRoute ? [{ kind: 'undeclared status', text: `${status} ${shown(answer)}` }] : []
      // Refusals before the routing are the same for every route.
      const general = (operation.path.startsWith('/v1/') ? openAiErrors[status] : undefined) ?? errors(status)[status]
      if (general === undefined) return [{ kind: 'undeclared status', text: `${status} ${shown(answer)}` }]
      const problem = isHtml(answer) || isForeign(operation.path) ? null : misfit(general, body, `error ${status}`)
      return problem === null ? [] : [{ kind: 'not the standard body', text: `${status} ${problem}: ${shown(answer)}` }]
    }
    if (!made.isSameRoute) return []
    const types = Object.keys(declared.content ?? {})
    if (types.length === 0 || answer.body.length === 0) return []
    if (!types.some((each) => each === '*/*' || each === type || (each.endsWith('/*') && type.startsWith(each.slice(0, -1))))) {
      // A browser that opens a page gets a page.
      return isHtml(answer) && status >= 400 ? [] : [{ kind: 'undeclared content type', text: `${status} ${type}` }]
    }
    if (type === 'text/event-stream') {
      return framesOf(answer.body.toString()).flatMap((frame) => {
        const problem = misfit({ $ref: `document#${operation.pointer}/responses/${status}/content/${pointerPart(type)}/schema` }, frame, `${operation.name} frames`)
        return problem === null ? [] : [{ kind: 'frame outside its schema', text: `${problem}: ${JSON.stringify(frame).slice(0, 500)}` }]
      })
    }
    if (type !== 'application/json') return []
    if (body === undefined) return [{ kind: 'not JSON', text: shown(answer) }]
    const problem = misfit({ $ref: `document#${operation.pointer}/responses/${status}/content/${pointerPart(type)}/schema` }, body, `${operation.name} ${status}`)
    return problem === null ? [] : [{ kind: 'answer outside its schema', text: `${status} ${problem}: ${shown(answer)}` }]
  }

  /** Returns problems with content that the answer must not have. */
  function leaks (made: Made, answer: Answer): Problem[] {
    const { sent } = made
    const asked = `${safelyDecoded(sent.target)} ${JSON.stringify(sent.headers)} ${sent.body?.toString() ?? ''}`
    const said = `${[...answer.headers].join('\n')}\n${answer.body.toString()}`
    const problems = secrets.filter((secret) => said.includes(secret) && !asked.includes(secret)).map((secret) => ({ kind: 'a secret leaves', text: `${secret.slice(0, 12)}… in ${shown(answer)}` }))
    if (answer.status < 400) return problems
    const trace = stackTrace.exec(said)?.[0]
    if (trace !== undefined && !asked.includes(trace)) problems.push({ kind: 'an error tells what is inside', text: `${trace}: ${shown(answer)}` })
    const folder = folders.find((each) => said.includes(each) && !asked.includes(each))
    if (folder !== undefined && !isHtml(answer)) problems.push({ kind: 'an error names a folder of the server', text: shown(answer) })
    return problems
  }

  return {
    /** `scope`: that of the sender; null without credentials. */
    judge (operation: Operation, made: Made, answer: Answer, scope: string | null): Judged {
      const body = jsonOf(answer)
      const problems = [...unfit(operation, made, answer, body), ...leaks(made, answer)]
      const { status } = answer
      if (status === 500 || (status > 500 && operation.responses[String(status)] === undefined)) problems.push({ kind: `status ${status}`, text: shown(answer) })
      if (status >= 400 && !isForeign(operation.path) && !isHtml(answer) && made.sent.method !== 'HEAD' && typeof (body as { error?: unknown } | undefined)?.error !== 'string') {
        problems.push({ kind: 'an error without its text', text: `${status} ${shown(answer)}` })
      }
      const isTooNarrow = operation.scope !== null && scopes.indexOf(scope ?? '') < scopes.indexOf(operation.scope)
      if (made.isSameRoute && isTooNarrow && status < 400 && operation.path !== '/mcp') problems.push({ kind: 'let in with too small a scope', text: `${scope ?? 'nobody'}: ${status}` })
      const { code } = body as { code?: unknown } ?? {}
      return { problems, body, code: status >= 400 && typeof code === 'string' ? code : null }
    }
  }
}

const shown = ({ status, body }: Answer): string => `${status} ${body.subarray(0, 400).toString()}`

function jsonOf (answer: Answer): unknown {
  if (!/json/.test(answer.headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(answer.body.toString())
  } catch {
    return undefined
  }
}

function safelyDecoded (target: string): string {
  try {
    return decodeURIComponent(target.replaceAll('+', ' '))
  } catch {
    return target
  }
}

/** Returns the complete frames of an event stream, without comments and a frame that was cut off. */
function framesOf (text: string): Array<Record<string, unknown>> {
  return text.split('\n\n').slice(0, -1).flatMap((block) => {
    const lines = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]))
    const [id, event, data] = [lines.get('id'), lines.get('event'), lines.get('data')]
    if (event === undefined || data === undefined) return []
    return [{ ...id === undefined ? {} : { id }, event, data: JSON.parse(data) as unknown }]
  })
}

/** Returns the value at a JSON pointer. */
const valueAt = (value: unknown, pointer: string): unknown => pointer.split('/').slice(1).reduce<unknown>((found, name) =>
  (found as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], value) ?? null
