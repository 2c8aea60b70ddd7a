import { isRecord } from '../../ground/fields.js'
import { Invalid } from '../../ground/errors.js'
import { frontMatter, line, type FrontMatter } from '../../ground/text/front-matter.js'

/** Where a SKILL.md departs from the Agent Skills specification: what kind of fault it is, and the sentence that says it. */
interface Fault { kind: string, text: string }

export const longestName = 64
export const longestDescription = 1_024
const longestCompatibility = 500
const nameForm = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u
const specified = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'])
/** Fields that this service has always read or passed over; agents keep them at the top, so a save does not refuse them. */
const tolerated = new Set(['version', 'author', 'platforms', 'prerequisites', 'tags', 'related_skills'])
const mostNamed = 5

/**
 * Lists where front matter departs from the specification. The sentences quote nothing of the text except names of fields.
 * @param folderName folder of the skill, which has to have its name
 */
export function faultsOf ({ fields, problem }: Pick<FrontMatter, 'fields' | 'problem'>, folderName: string): Fault[] {
  if (problem !== undefined) return [{ kind: 'front matter', text: problem }]
  const { license, compatibility, metadata } = fields
  return [
    ...nameFaults(fields['name'], folderName),
    ...descriptionFaults(fields['description']),
    ...fault('license', license !== undefined && typeof license !== 'string', 'The license is not a text.'),
    ...fault(
      'compatibility', compatibility !== undefined && (typeof compatibility !== 'string' || compatibility.length > longestCompatibility),
      `The compatibility is not a text of ${longestCompatibility} characters at most.`
    ),
    ...fault('metadata', metadata !== undefined && !isRecord(metadata), 'The metadata is not a list of keys and values.'),
    ...fault(
      'allowed-tools', fields['allowed-tools'] !== undefined && typeof fields['allowed-tools'] !== 'string',
      'The allowed-tools are not one text with spaces between the tools.'
    ),
    ...unknownFaults(Object.keys(fields))
  ]
}

/**
 * Refuses a text of an agent that departs from the specification. A fault that the text before it has too is no reason, so that a skill
 * made elsewhere can be edited.
 * @param before text that is replaced; null for a new skill
 * @throws Invalid with all faults as sentences
 */
export function refuseFaults (text: string, before: string | null, folderName: string): void {
  const had = new Set(before === null ? [] : faultsOf(frontMatter(before), folderName).map(({ kind }) => kind))
  const faults = faultsOf(frontMatter(text), folderName).filter(({ kind }) => !had.has(kind) && kind !== 'tolerated fields')
  if (faults.length > 0) throw new Invalid(`This is not a skill by the Agent Skills specification. ${sentences(faults)}`)
}

export const sentences = (faults: readonly Fault[]): string => faults.map(({ text }) => text).join(' ')

function nameFaults (value: unknown, folderName: string): Fault[] {
  if (value === undefined) return [{ kind: 'name', text: 'The front matter has no name.' }]
  const name = line(value, longestName + 1).normalize('NFKC')
  if (name.length > longestName || name !== name.toLowerCase() || !nameForm.test(name)) {
    return [{
      kind: 'name', text: `The name is not one: lower-case letters, digits, and single hyphens between them, ${longestName} characters at most.`
    }]
  }
  return fault('folder', name !== folderName.normalize('NFKC'), 'The name is not that of the skill\'s folder.')
}

function descriptionFaults (value: unknown): Fault[] {
  if (line(value, 10) === '') return [{ kind: 'description', text: 'The front matter has no description.' }]
  return fault('description', String(value).length > longestDescription, `The description has more than ${longestDescription} characters.`)
}

function unknownFaults (names: readonly string[]): Fault[] {
  const unknown = names.filter((name) => !specified.has(name))
  return [
    ...below('tolerated fields', unknown.filter((name) => tolerated.has(name))),
    ...below('fields', unknown.filter((name) => !tolerated.has(name)))
  ]
}

function below (kind: string, names: readonly string[]): Fault[] {
  const named = names.slice(0, mostNamed).map((name) => line(name, 40)).join(', ')
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return fault(kind, names.length > 0, `Fields that the specification does not have belong below metadata: ${named}${more}.`)
}

const fault = (kind: string, isOne: boolean, text: string): Fault[] => isOne ? [{ kind, text }] : []
