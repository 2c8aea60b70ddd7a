// Finds changes in a newer OpenAPI document that break a client written for an older one. Supports only what the documents of this service
// contain: JSON Schemas without `allOf`, `not` and conditions.
import { type Answer, type InterfaceDocument, type Operation, type Parameter, type Schema } from './wire-shapes.js'

const scopes = ['read', 'chat', 'approve', 'admin', 'person']
const lowest = ['minLength', 'minimum', 'minItems', 'minProperties'] as const
const highest = ['maxLength', 'maximum', 'maxItems', 'maxProperties'] as const

/** Lists the breaking changes, one sentence each; empty if there are none. */
export function breakingChanges (before: InterfaceDocument, after: InterfaceDocument): string[] {
  const documents = new Comparison(before, after)
  return Object.entries(before.paths).flatMap(([path, methods]) => Object.entries(methods).flatMap(([method, old]) => {
    const now = after.paths[path]?.[method]
    const changes = now === undefined ? ['is gone'] : ofOperation(old, now, documents)
    return changes.map((change) => `${method.toUpperCase()} ${path} ${change}`)
  }))
}

/** Whether a version may break promises of another one: for 0.x with a new minor version, otherwise with a new major version. */
export function mayBreak (before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const place = old[0] === 0 && now[0] === 0 ? 1 : 0
  return (now[place] ?? 0) > (old[place] ?? 0)
}

function ofOperation (before: Operation, after: Operation, documents: Comparison): string[] {
  return [
    ...(before.operationId === after.operationId ? [] : [`has another operationId: ${before.operationId} became ${after.operationId}`]),
    ...(before.security?.length === 0 && after.security === undefined ? ['is not public any more'] : []),
    ...(scopes.indexOf(after['x-token-scope'] ?? '') > scopes.indexOf(before['x-token-scope'] ?? 'person')
      ? [`needs the scope ${after['x-token-scope']}, which was ${before['x-token-scope']}`]
      : []),
    ...ofParameters(before.parameters ?? [], after.parameters ?? [], documents),
    ...ofBody(before.requestBody, after.requestBody, documents),
    ...Object.entries(before.responses).flatMap(([status, answer]) => ofAnswer(status, answer, after.responses[status], documents))
  ]
}

function ofParameters (before: readonly Parameter[], after: readonly Parameter[], documents: Comparison): string[] {
  const same = (one: Parameter) => (other: Parameter): boolean => one.name === other.name && one.in === other.in
  return [
    ...before.flatMap((old) => {
      const now = after.find(same(old))
      return now === undefined ? [`does not know ${old.in} ${old.name} any more`] : documents.sent(old.schema, now.schema, `${old.in} ${old.name}`)
    }),
    ...after.filter((now) => now.required === true && before.find(same(now))?.required !== true)
      .map((now) => `needs ${now.in} ${now.name}, which could be left out`)
  ]
}

function ofBody (before: Operation['requestBody'], after: Operation['requestBody'], documents: Comparison): string[] {
  if (before === undefined) return after?.required === true ? ['needs a body'] : []
  if (after === undefined) return ['takes no body any more']
  return [
    ...(after.required === true && before.required !== true ? ['needs a body'] : []),
    ...Object.entries(before.content).flatMap(([type, { schema }]) => after.content[type] === undefined
      ? [`does not take ${type} any more`]
      : documents.sent(schema, after.content[type].schema, 'body'))
  ]
}

/** Lists changes of an answer. An error may disappear; what the remaining answers promise must stay. */
function ofAnswer (status: string, before: Answer, after: Answer | undefined, documents: Comparison): string[] {
  if (after === undefined) return status < '400' ? [`does not answer ${status} any more`] : []
  const [old, now] = documents.answers(before, after)
  return Object.entries(old.content ?? {}).flatMap(([type, { schema }]) => now.content?.[type] === undefined
    ? [`does not answer ${status} with ${type} any more`]
    : documents.told(schema, now.content[type].schema, status))
}

class Comparison {
  readonly #before: InterfaceDocument
  readonly #after: InterfaceDocument
  /** Results of comparing two components, so that one that contains itself is compared once. */
  readonly #known = new Map<string, string[]>()

  constructor (before: InterfaceDocument, after: InterfaceDocument) {
    this.#before = before
    this.#after = after
  }

  answers (before: Answer, after: Answer): [Answer, Answer] {
    const found = (answer: Answer, { components }: InterfaceDocument): Answer =>
      answer.$ref === undefined ? answer : components?.responses?.[nameOf(answer.$ref)] ?? {}
    return [found(before, this.#before), found(after, this.#after)]
  }

  /** Lists values that a client may have sent and that are no longer accepted. */
  sent (before: Schema | undefined, after: Schema | undefined, at: string): string[] {
    return this.#compare(before, after, at, 'sent')
  }

  /** Lists promises about an answer that no longer hold. */
  told (before: Schema | undefined, after: Schema | undefined, at: string): string[] {
    return this.#compare(before, after, at, 'told')
  }

  #compare (before: Schema = {}, after: Schema = {}, at: string, way: 'sent' | 'told'): string[] {
    if (before.$ref === undefined || after.$ref === undefined) return this.#ofVariants(before, after, at, way)
    const pair = `${way} ${before.$ref} ${after.$ref}`
    if (!this.#known.has(pair)) {
      this.#known.set(pair, [])
      this.#known.set(pair, this.#ofVariants(before, after, nameOf(before.$ref), way))
    }
    return this.#known.get(pair) ?? []
  }

  #ofVariants (before: Schema, after: Schema, at: string, way: 'sent' | 'told'): string[] {
    const [olds, nows] = [variantsOf(before, this.#before), variantsOf(after, this.#after)]
    const [kinds, kindsNow] = [kindsOf(olds), kindsOf(nows)]
    const wider = way === 'sent' ? [kinds, kindsNow] as const : [kindsNow, kinds] as const
    const strange = [...wider[0]].filter((kind) => !accepts(wider[1], kind))
    if (strange.length > 0) return [`${at}: ${way === 'sent' ? 'cannot' : 'can'} be ${strange.join(' or ')} ${way === 'sent' ? 'any more' : 'now'}`]
    return olds.flatMap((old) => this.#ofVariant(old, nows, at, way))
  }

  /** Compares with the most similar variant, because a union may gain others. */
  #ofVariant (old: Schema, nows: readonly Schema[], at: string, way: 'sent' | 'told'): string[] {
    const alike = nows.filter((now) => accepts(kindsOf([now]), [...kindsOf([old])][0] ?? 'anything'))
    const mark = markOf(old)
    const marked = mark === undefined ? alike : alike.filter((now) => markOf(now) === mark)
    if (mark !== undefined && marked.length === 0) return [`${at}: there is no ${mark} any more`]
    const candidates = marked.map((now) => this.#inside(old, now, mark === undefined ? at : `${at} ${mark}`, way))
    return candidates.reduce((best, one) => one.length < best.length ? one : best, candidates[0] ?? [])
  }

  #inside (old: Schema, now: Schema, at: string, way: 'sent' | 'told'): string[] {
    const properties = Object.entries(old.properties ?? {}).flatMap(([name, schema]) => {
      const inner = now.properties?.[name]
      return inner === undefined
        ? now.additionalProperties === true && way === 'sent' ? [] : [`${at}.${name}: is gone`]
        : this.#compare(schema, inner, `${at}.${name}`, way)
    })
    const items = old.items === undefined ? [] : this.#compare(old.items, now.items, `${at}[]`, way)
    const values = mapOf(old) === undefined ? [] : this.#compare(mapOf(old), mapOf(now), `${at}.*`, way)
    return [...properties, ...items, ...values, ...(way === 'sent' ? demands(old, now, at) : promises(old, now, at))]
  }
}

/** Lists requirements for a value that did not exist before. */
function demands (old: Schema, now: Schema, at: string): string[] {
  const [allowed, allowedNow] = [valuesOf(old), valuesOf(now)]
  return [
    ...(now.required ?? []).filter((name) => old.required?.includes(name) !== true).map((name) => `${at}.${name}: has to be sent`),
    ...(allowedNow === null
      ? []
      : allowed === null
        ? [`${at}: takes only certain values`]
        : allowed.filter((value) => !allowedNow.includes(value)).map((value) => `${at}: does not take ${JSON.stringify(value)} any more`)),
    ...lowest.filter((limit) => (now[limit] ?? -Infinity) > (old[limit] ?? -Infinity) && !isNoLimit(limit, now[limit]))
      .map((limit) => `${at}: ${limit} is ${now[limit]}`),
    ...highest.filter((limit) => (now[limit] ?? Infinity) < (old[limit] ?? Infinity)).map((limit) => `${at}: ${limit} is ${now[limit]}`),
    ...(now.pattern === undefined || now.pattern === old.pattern ? [] : [`${at}: has to match another pattern`])
  ]
}

/** Lists what an answer no longer promises. New values of a list break nothing: clients ignore unknown values. */
function promises (old: Schema, now: Schema, at: string): string[] {
  const gone = at.endsWith('.code') ? (valuesOf(old) ?? []).filter((value) => valuesOf(now)?.includes(value) === false) : []
  return [
    ...(old.required ?? []).filter((name) => now.properties?.[name] !== undefined && now.required?.includes(name) !== true)
      .map((name) => `${at}.${name}: may be absent`),
    ...gone.map((value) => `${at}: ${JSON.stringify(value)} is no code any more`)
  ]
}

/** Returns what distinguishes one of several forms: the name of its event, or its type. */
export function markOf ({ properties = {} }: Schema): string | undefined {
  return [properties.event, properties.type].flatMap((schema) => {
    const values = schema === undefined ? [] : valuesOf(schema) ?? []
    return values.length === 1 && typeof values[0] === 'string' ? [values[0]] : []
  })[0]
}

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
const isNoLimit = (limit: string, value: number | undefined): boolean => limit !== 'minimum' && value === 0
const valuesOf = ({ const: only, enum: values }: Schema): readonly unknown[] | null => values ?? (only === undefined ? null : [only])
const mapOf = ({ additionalProperties, patternProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties ?? {})[0]

/** Returns the alternatives of a schema, none of them a reference or a union. */
function variantsOf (schema: Schema, document: InterfaceDocument): Schema[] {
  if (schema.$ref !== undefined) return variantsOf(document.components?.schemas?.[nameOf(schema.$ref)] ?? {}, document)
  const union = schema.anyOf ?? schema.oneOf
  if (union !== undefined) return union.flatMap((one) => variantsOf(one, document))
  if (typeof schema.type === 'object') return schema.type.map((type) => ({ ...schema, type, ...valuesOfType(schema, type) }))
  return [schema]
}

/** Returns the enum values that belong to one type: `null` belongs to the type null, everything else to the other. */
const valuesOfType = ({ enum: values }: Schema, type: string): Pick<Schema, 'enum'> =>
  values === undefined ? {} : { enum: values.filter((value) => (value === null) === (type === 'null')) }

const kindsOf = (schemas: readonly Schema[]): Set<string> => new Set(schemas.map((schema) => {
  if (typeof schema.type === 'string') return schema.type
  const [value] = valuesOf(schema) ?? []
  return value === undefined ? 'anything' : value === null ? 'null' : typeof value
}))

const accepts = (kinds: ReadonlySet<string>, kind: string): boolean =>
  kinds.has(kind) || kinds.has('anything') || (kind === 'integer' && kinds.has('number'))
