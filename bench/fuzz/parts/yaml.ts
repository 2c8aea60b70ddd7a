import fc from 'fast-check'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longestHomeFile } from '../../../services/ground/home/home-file.js'
import { homeFiles, readProfileSettings, type ProfileSettings } from '../../../services/ground/home/settings.js'
import { longMs } from './long.js'
import { type Part } from './part.js'
import { serviceOf } from './served.js'
import { anyCharacter } from '../../../test/support/any-character.js'

/** Content that a file held before, and that stays in force while another one is broken. */
const good = 'max_tokens: 77\nagent:\n  reasoning_effort: high\n'
const secret = 'zq7Planted-Value-31x'

const key = fc.constantFrom(
  'max_tokens', 'agent', 'model', 'providers', 'mcp_servers', 'approvals', '<<', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '? a\n', '? [a, b]\n', '"a\\u0000b"', '"max_tokens"', '*a', '&a max_tokens', '!!str max_tokens', '2020-01-01',
  '~', '0', '', ' ', '"__proto__"', '!!binary aGk='
)
const value = fc.oneof(fc.constantFrom(
  '5', '"5"', '[a, b]', '{a: 1}', '{a: 1, a: 2}', '|', '>-\n  folded', '|2-\n  a', '&a {b: *a}', '&a [*a]', '*a', '*none', '<<', '{<<: *a}', '{<<: [*a, *a]}', '{<<: 5}', '{__proto__: {polluted: 1}}', '{constructor: {prototype: {polluted: 1}}}', '!!js/function "f"',
  '!!python/object/apply:os.system ["id"]', '!!binary "!"', '!!timestamp 2020-13-45', '!!set {a, b}', '!!omap [a: 1]', '!!merge <<', '!<tag:yaml.org,2002:map> {a: 1}', '!unknown x', '2020-01-01', '2020-01-01T00:00:00Z', '0o17', '0x10', '1e999', '.nan', '-.inf', '0b1', '1_000',
  '190:20:30', 'yes', 'NO', 'null', '"\\ud800"', '"\\x"', '\'a', '"a', '[', '{', ']', '- a', '? a', ': b', '@a', '`a`', '%YAML 1.1', '---', '...', '--- a', '\ta', '\u00a0a', '\ufeffa', '\u2028a', '\u0085a', 'a #b', 'a: b: c', secret, `{api_key: ${secret}}`, `"${secret}`, `[${secret}`
), fc.string({ unit: anyCharacter, maxLength: 12 }))
const line = fc.tuple(fc.constantFrom('', '', '', '  ', '    ', '\t', ' \t', '- ', '# '), key, fc.constantFrom(': ', ':', ' : ', ':\t', ':\n  ', ':\n\t'), value)
  .map((pieces) => pieces.join(''))
/** Anchors, each of which expands to nine times the previous one. */
const bomb = fc.integer({ min: 1, max: 12 }).map((depth) => ['a0: &a0 [lol]', ...Array.from({ length: depth }, (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(', ')}]`)].join('\n'))
const merges = fc.integer({ min: 1, max: 12 }).map((depth) => [`m0: &m0 {k: ${secret}}`, ...Array.from({ length: depth }, (_, index) => `m${index + 1}: &m${index + 1}\n  <<: [${Array(9).fill(`*m${index}`).join(', ')}]\n  k${index}: 1`)].join('\n'))
const large = fc.tuple(fc.constantFrom('a', '[', '{a: ', '"', '- ', '? ', '&a ', '*a ', '\t', ' ', '!', '|', 'a: ', '\ufeff', '#', '[a, ', '\\', '%', 'a:\n '), fc.constantFrom(2_000, 20_000, longestHomeFile, longestHomeFile + 10))
  .map(([piece, length]) => `x: ${piece.repeat(Math.floor(length / Buffer.byteLength(piece)))}`)
const keys = fc.integer({ min: 1, max: 20_000 }).map((count) => Array.from({ length: count }, (_, index) => `k${index}: ${index}`).join('\n'))
const document = fc.oneof(
  { weight: 40, arbitrary: fc.tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r')).map(([lines, end]) => lines.join(end)) },
  { weight: 4, arbitrary: fc.tuple(fc.array(line, { maxLength: 3 }), fc.oneof(bomb, merges)).map(([lines, rest]) => [rest, ...lines].join('\n')) },
  { weight: 1, arbitrary: fc.oneof(large, keys) }
)
/** A sentence that says where and why, without anything that the file contains. */
const isReason = (text: string): boolean => /^config\.yaml .{1,200}$/.test(text) && !text.includes(secret)
const namesLine = (text: string): boolean => !/does not parse: (?!too many aliases|an alias without its anchor|a merge of what is no mapping)/.test(text) || /at line \d+, column \d+$/.test(text)
const isWell = ({ config }: Pick<ProfileSettings, 'config'>): boolean => config.max_tokens === 77 && config.agent?.reasoning_effort === 'high'

export const yaml: Part = {
  name: 'yaml',
  says: 'config.yaml is read, or the wrong line is named and the last good configuration stays in use',
  properties: (folder, onEnd) => {
    const served = serviceOf(folder, onEnd)
    return [
      ['it is read, or a sentence says where it is broken, and what was good goes on', fc.property(document, (text) => {
        const home = mkdtempSync(join(folder, 'home-'))
        mkdirSync(join(home, 'webui_state'))
        writeFileSync(homeFiles.lastGoodConfig(home), good)
        writeFileSync(homeFiles.config(home), text)
        const read = readProfileSettings(home, {})
        const { config, configProblems, configError } = read
        if (configProblems.some(({ message }) => message.includes(secret) || message.length > 600)) return false
        if ('polluted' in {} || Object.getPrototypeOf(config) !== Object.prototype) return false
        return configError === undefined || (isReason(configError) && namesLine(configError) && isWell(read))
      })],
      ['it is read in a moment', fc.property(document, (text) => {
        const home = mkdtempSync(join(folder, 'home-'))
        writeFileSync(homeFiles.config(home), text)
        return longMs(() => readProfileSettings(home, {})) === null
      }), 4],
      ['the service says so, and goes on answering', fc.asyncProperty(document, async (text) => {
        const { ask, home } = await served()
        writeFileSync(homeFiles.config(home), text)
        const { status, body } = await ask('GET', '/api/settings')
        const error = body.config_error as string | null
        const others = await Promise.all(['/api/profiles', '/api/models', '/api/mcp/servers', '/health'].map(async (path) => (await ask('GET', path)).status))
        return status === 200 && (error === null || (isReason(error) && namesLine(error))) && others.every((other) => other === 200)
      }), 20]
    ]
  }
}
