// Licences of everything that is shipped with the service: packages in its bundles and in the app, packages that are installed beside it,
// and data that was made from a package. A licence that does not allow shipping is a problem: it stops a release and fails a test.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf } from './packages.js'

/** The licences of the build, among the files of the app. */
export const noticesFile = 'web/built/THIRD-PARTY-NOTICES.txt'
/** Licences that require only their text, and the MPL, whose files are shipped unchanged. */
const allowed = new Set([
  '0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MPL-2.0', 'OFL-1.1', 'Python-2.0',
  'Unlicense', 'WTFPL', 'Zlib'
])
/** Packages whose licence is not named by its SPDX identifier. */
const identified = new Map([['duck', 'BSD-2-Clause']])
/** Licence texts, and the copyright holders of packages that come without a licence text. */
const texts = 'packaging/licences'
const copyrights = new Map(Object.entries(JSON.parse(readFileSync(join(texts, 'copyrights.json'), 'utf8'))))
const textFile = /^(?:licen[cs]e|copying|notice|ofl|unlicense)(?:[.-].*)?$/i

/** Data made from packages that are not installed. */
const data = [{
  name: '@earendil-works/pi-ai', version: 'data', licence: 'MIT', source: 'https://github.com/badlogic/pi-mono'
}]

/**
 * Reads the packages in `folders`. Returns what is shipped, sorted, as `{ name, version, licence, source, text }`, and the `problems`:
 * sentences, empty if all of it may be shipped.
 */
export function readThirdParty (folders) {
  const choosers = new Map(folders.flatMap((folder) =>
    Object.keys(manifestOf(folder).optionalDependencies ?? {}).map((name) => [name, folder])))
  const packages = folders.map((folder) => {
    const { name, version, license, repository } = manifestOf(folder)
    const licence = identified.get(name) ?? (typeof license === 'string' ? license : '')
    // A package for one kind of machine uses the text of the package that selects it.
    const places = [folder, ...choosers.has(name) ? [choosers.get(name)] : []]
    return { name, version, licence, source: addressOf(repository), text: places.map(textIn).find((text) => text !== '') ?? textOf({ name, licence }) }
  })
  const all = [...data.map((entry) => ({ ...entry, text: textOf(entry) })), ...packages]
  const once = new Map(all.map((entry) => [`${entry.name} ${entry.version}`, entry]))
  const sorted = [...once].toSorted(([one], [other]) => one < other ? -1 : 1).map(([, entry]) => entry)
  return { packages: sorted, problems: sorted.flatMap(problemsOf) }
}

/** Returns the text of THIRD-PARTY-NOTICES.txt. Packages whose texts differ only in white space share one. */
export function noticesOf (packages) {
  const parts = Map.groupBy(packages, ({ text }) => text.replaceAll(/\s+/g, ' ')).values().map((members) => {
    const lines = members.map(({ name, version, licence, source }) => [`${name} ${version}`, licence, source].filter(Boolean).join(', '))
    return `${lines.join('\n')}\n\n${members[0].text}\n`
  })
  return [
    'The agent web service contains the following works of others. Each is under the licence that follows its name.\n', ...parts
  ].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Whether an SPDX expression allows shipping. False for a nested expression, which is left to a person. */
export function isAllowed (expression) {
  const plain = expression.replace(/^\(([^()]*)\)$/, '$1')
  if (/[()]/.test(plain) || (plain.includes(' OR ') && plain.includes(' AND '))) return false
  const licences = plain.split(/ (?:OR|AND) /)
  return plain.includes(' OR ') ? licences.some((licence) => allowed.has(licence)) : licences.every((licence) => allowed.has(licence))
}

function problemsOf ({ name, version, licence, text }) {
  return [
    ...isAllowed(licence) ? [] : [`${name} ${version} is under "${licence}", which is not a licence that scripts/third-party.js allows`],
    ...text === '' ? [`${name} ${version} comes without a licence text: name its copyright holder in ${texts}/copyrights.json`] : []
  ]
}

function textIn (folder) {
  const files = readdirSync(folder).filter((name) => textFile.test(name)).toSorted()
  return files.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n')
}

/** Returns the text of a licence with its copyright holder; empty if none is named. */
function textOf ({ name, licence }) {
  const holder = copyrights.get(name)
  return holder === undefined ? '' : `${holder}\n\n${readFileSync(join(texts, `${licence}.txt`), 'utf8').trim()}`
}

/** Returns the web address of a repository; empty if it has none. */
function addressOf (repository) {
  const written = typeof repository === 'string' ? repository : repository?.url ?? ''
  if (/^[\w.-]+\/[\w.-]+$/.test(written)) return `https://github.com/${written}`
  const address = written.replace(/^git\+/, '').replace(/^(?:git|ssh):\/\/(?:git@)?/, 'https://').replace(/\.git$/, '')
  return /^https?:\/\//.test(address) ? address : ''
}
