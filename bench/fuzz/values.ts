import fc from 'fast-check'
import { allHostile } from '../../test/support/hostile-texts.js'
import { type Random } from '../torture/random.js'
import { resolved, type OpenApi, type Schema } from './document.js'
import { type Pool } from './pool.js'

/** Texts that are not what they look like, or more than a field can take. */
const hostileTexts: readonly string[] = [
  '', ' ', '\t\n', '\0', 'a\0b', '\x1b[31m', '\x7f', '\r\nSet-Cookie: a=b', 'a\nb', '\ufeffa', '\u2028', '\u202egpj.exe', '\u200b', 'e\u0301', '\u0430dmin',
  'ﬁle', 'İ', 'ß', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\ud800', 'a\udfffb', '\uffff', '\ufffd', '𝒳', 'a'.repeat(255), 'a'.repeat(256), 'é'.repeat(200),
  'a'.repeat(4_097), 'x'.repeat(70_000), 'a/'.repeat(300), allHostile(20_000), '.', '..', '/', '//', '~', '-', '--', '*', '?', '[', '(', '\\', '%', '%00', '%2e%2e%2f', '%zz',
  '../../../../etc/passwd', '..\\..\\etc\\passwd', '/etc/passwd', '/proc/self/environ', '/dev/zero', 'C:\\a', 'CON', '.git', '.git/config', '.GIT/config', '.agent-trash',
  'notes.txt/', './notes.txt', 'notes.txt/../notes.txt', 'notes.txt\0.png', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'undefined',
  'NaN', 'true', '0', '-1', '1e999', '9007199254740993', '0x10', '1,2', '$(id)', '`id`', '$HOME', "' or 1=1 --", '"; drop table sessions; --', '<script>alert(1)</script>',
  '{"a":1}', '[]', '---\nname: x\n---\n', '!!js/function x', '&a [*a]', '(a+)+$', '-x', '--output=x', '--upload-pack=id', 'HEAD', 'HEAD~99999', 'stash@{0}', 'refs/heads/x', ':/x', '@{-1}',
  'file:///etc/passwd', 'http://127.0.0.1:1/', 'http://[::1]:1/', 'http://user:pass@127.0.0.1:1/', 'javascript:alert(1)', 'data:text/html,x', '//a.invalid', 'every 5 minutes', '* * * * *', '0 0 31 2 *',
  '2099-02-30T25:61', 'Europe/Nowhere', '/help', '/title a', '@notes.txt', 'words=3', 'words=2 tools=1', 'words=2 ask', 'words=2 question'
]
const hostileOthers: readonly unknown[] = [
  0, -0, -1, 1.5, 255, 65_536, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, 5e-324, true, false, null, [], {}, [[]], [null], [{}], { a: { b: [] } }, [1, 'a', null]
]
const wordsOf = ['a', 'notes', 'Work', 'A title', 'main', 'default', 'x1', 'Überschrift', 'two words', 'notes.txt', 'words=3']
const unlimited = 40
const deepest = 6

export interface Values {
  /** Returns a value that fits the schema, mostly one that is known for a field of this name. */
  fitting (schema: Schema, area: string, name: string, depth?: number): unknown
  hostile (): unknown
  hostileText (): string
}

export function createValues (random: Random, pool: Pool, document: OpenApi): Values {
  const hostileText = (): string => {
    if (random.chance(0.1)) return random.pick(hostileTexts) + random.pick(hostileTexts)
    return random.chance(0.1)
      ? String.fromCharCode(...Array.from({ length: random.whole(1, 30) }, () => random.whole(0, 0xffff)))
      : random.pick(hostileTexts)
  }
  const hostile = (): unknown => random.chance(0.6) ? hostileText() : random.pick(hostileOthers)

  function textOf ({ minLength = 0, maxLength = unlimited, pattern }: Schema): string {
    if (pattern !== undefined) {
      const made = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: random.whole(0, 2 ** 30), numRuns: 1 })[0] ?? ''
      return made.slice(0, maxLength)
    }
    // At the limit as often as within it.
    if (random.chance(0.1)) return 'm'.repeat(Math.min(maxLength, 200_000))
    const text = random.pick(wordsOf).slice(0, maxLength)
    return text.length < minLength ? text.padEnd(minLength, 'p') : text
  }

  function numberOf ({ minimum = -1_000, maximum = 1_000 }: Schema): number {
    const small = Math.min(maximum, Math.max(minimum, random.whole(0, 10)))
    return random.pick([minimum, maximum, random.whole(Math.ceil(minimum), Math.floor(maximum)), small])
  }

  function objectOf (schema: Schema, area: string, depth: number): Record<string, unknown> {
    const required = new Set(schema.required)
    const made: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(schema.properties ?? {})) {
      if (required.has(key) || random.chance(depth > deepest ? 0 : 0.4)) made[key] = fitting(each, area, key, depth + 1)
    }
    const others = schema.additionalProperties
    if (typeof others === 'object' && random.chance(0.5)) made[textOf({})] = fitting(others, area, '', depth + 1)
    return made
  }

  function fitting (given: Schema, area: string, name: string, depth = 0): unknown {
    const schema = resolved(document, given)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return fitting(random.pick(choices), area, name, depth)
    if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((each) => fitting(each, area, name, depth)))
    const types = [schema.type ?? []].flat()
    const type = types.length === 0 ? undefined : random.chance(0.8) ? types[0] : random.pick(types)
    if (type === 'string' || type === 'integer' || type === 'number') {
      const known = random.chance(0.85) ? pool.take(area, name) : undefined
      if (type === 'string' ? typeof known === 'string' : typeof known === 'number') return known
      if (type === 'string') return textOf(schema)
      return type === 'integer' ? Math.trunc(numberOf(schema)) : numberOf(schema)
    }
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'null') return null
    if (type === 'array') {
      const length = Math.min(schema.maxItems ?? 3, Math.max(schema.minItems ?? 0, random.whole(0, 3)))
      return Array.from({ length }, () => fitting(schema.items ?? {}, area, name, depth + 1))
    }
    if (type === 'object' || schema.properties !== undefined) return objectOf(schema, area, depth)
    return hostile()
  }

  return { fitting, hostile, hostileText }
}
