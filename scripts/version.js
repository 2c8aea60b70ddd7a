// npm run version -- <patch | minor | major | 1.2.3> [--date 2026-01-31] [--dry-run]
// Sets the version everywhere, moves the unreleased changes in the changelog to a section of their own, with a date, and stores the present
// interface as the one that later versions must not break. Commits nothing.
// node scripts/version.js --notes <version> prints that section: the notes of a release.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const changelog = 'CHANGELOG.md'
const released = 'docs/openapi-released.json'
const unreleased = '## [Unreleased]\n'
const form = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?$/
/** Files that contain the version, and how often at the beginning of each. */
const places = { 'package.json': 1, 'package-lock.json': 2, 'docs/openapi.json': 1 }

try {
  run(parseArgs({
    allowPositionals: true,
    options: { date: { type: 'string' }, 'dry-run': { type: 'boolean' }, notes: { type: 'string' } }
  }))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function run ({ values: { date = new Date().toISOString().slice(0, 10), 'dry-run': isDry = false, notes }, positionals: [wanted] }) {
  const news = readFileSync(changelog, 'utf8')
  if (notes !== undefined) return console.log(sectionOf(news, notes.replace(/^v/, '')))
  const { version: current } = JSON.parse(readFileSync('package.json', 'utf8'))
  const next = nextVersion(current, wanted)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error('The date must be written as 2026-01-31')
  const changed = new Map(Object.entries(places).map(([path, times]) => [path, raised(path, times, current, next)]))
  changed.set(changelog, dated(news, next, date))
  changed.set(released, promises(changed.get('docs/openapi.json')))
  for (const [path, text] of changed) if (!isDry) writeFileSync(path, text)
  console.log(`${isDry ? 'Would raise' : 'Raised'} ${current} to ${next} in ${[...changed.keys()].join(', ')}`)
  console.log(`The section of ${changelog} is dated ${date}. Commit it, and tag the commit v${next} (docs/releasing.md)`)
}

function nextVersion (current, wanted) {
  const [, major, minor, patch] = form.exec(current)?.map(Number) ?? []
  if (major === undefined) throw new Error(`package.json has no version: ${current}`)
  switch (wanted) {
    case 'major': return `${major + 1}.0.0`
    case 'minor': return `${major}.${minor + 1}.0`
    case 'patch': return `${major}.${minor}.${patch + 1}`
  }
  const numbers = form.exec(wanted ?? '')?.slice(1).map(Number)
  if (numbers === undefined) throw new Error('Name the version: npm run version -- <patch | minor | major | 1.2.3> [--date 2026-01-31] [--dry-run]')
  const at = numbers.findIndex((number, at) => number !== [major, minor, patch][at])
  if (at !== -1 && numbers[at] < [major, minor, patch][at]) throw new Error(`${wanted} is older than ${current}`)
  return wanted
}

function raised (path, times, current, next) {
  let text = readFileSync(path, 'utf8')
  let from = 0
  for (let time = 0; time < times; time++) {
    const at = text.indexOf(`"version": "${current}"`, from)
    if (at === -1) throw new Error(`${path} does not name the version ${current}`)
    text = `${text.slice(0, at)}"version": "${next}"${text.slice(at + `"version": "${current}"`.length)}`
    from = at + 1
  }
  return text
}

/** Returns an OpenAPI document without its texts, one path per line, for `scripts/interface-changes.ts` to compare. */
function promises (document) {
  const words = new Set(['description', 'summary', 'example', 'tags', 'callbacks'])
  // A property may have the same name as such a key; then its value is a schema, which is an object.
  const { info, paths, components: { schemas, responses } } = JSON.parse(document, (key, value) =>
    words.has(key) && (typeof value === 'string' || key === 'example' || key === 'callbacks' || Array.isArray(value)) ? undefined : value)
  const lines = (parts) => Object.entries(parts).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',\n')
  return `{"info": {"version": ${JSON.stringify(info.version)}}, "paths": {\n${lines(paths)}\n}, "components": {"schemas": {\n${lines(schemas)}\n}, ` +
    `"responses": {\n${lines(responses)}\n}}}\n`
}

function dated (news, version, date) {
  if (news.includes(`## [${version}]`)) throw new Error(`${changelog} has a section of ${version} already`)
  if (!news.includes(unreleased)) throw new Error(`${changelog} has no section "${unreleased.trim()}"`)
  if (sectionOf(news, 'Unreleased') === '') throw new Error(`Nothing is unreleased: ${changelog} says what is new before a version is made`)
  return news.replace(unreleased, () => `${unreleased}\n## [${version}] - ${date}\n`)
}

/** Returns the text below the heading of a version. */
function sectionOf (news, version) {
  const [heading] = news.match(new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*$`, 'm')) ?? []
  if (heading === undefined) throw new Error(`${changelog} has no section of ${version}`)
  const begin = news.indexOf(heading) + heading.length
  const end = news.indexOf('\n## [', begin)
  return news.slice(begin, end === -1 ? undefined : end).trim()
}
