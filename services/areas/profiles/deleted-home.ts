import { lstatSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isPair, isScalar, visit, type Document } from 'yaml'
import { readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { homeFiles } from '../../ground/home/settings.js'
import { readYaml } from '../../ground/home/yaml.js'
import { redact, secretsOfVariables } from '../../ground/redaction/index.js'
import { tried } from '../../ground/tried.js'

/** Keys of config.yaml whose values are secrets, whatever they look like. */
const secretKeys = new Set(['api_key', 'token', 'secret', 'password'])
/** What is below them is sent to somebody else's server, or given to a program. */
const secretSections = new Set(['headers', 'env'])

/**
 * Takes the secrets out of a home that is kept for its owner to bring back: its `.env` goes, and of its config.yaml, and of the copy that
 * was kept of that, every key and password. One that does not parse goes as a whole, as nobody can say what is in it. May be done again.
 */
export async function removeSecrets (home: string): Promise<void> {
  await rm(homeFiles.env(home), { force: true })
  for (const path of [homeFiles.config(home), homeFiles.lastGoodConfig(home)]) {
    await removeUnfinished(path)
    await cleanFile(path)
  }
  await removeUnfinished(homeFiles.env(home))
}

async function cleanFile (path: string): Promise<void> {
  // A link leads to what is somebody else's, and holds nothing itself.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return
  const found = readHomeFile(path)
  if (found === undefined) return
  const text = 'text' in found ? cleaned(found.text) : null
  if (text === null) await rm(path, { force: true, recursive: true })
  else if ('text' in found && text !== found.text) await replaceFile(path, text)
}

/** The text without its secrets; null where it does not parse. */
function cleaned (text: string): string | null {
  const document = readYaml(text)
  if (document.errors.length > 0) return null
  try {
    // Comments may hold keys as well.
    return redact(removeValues(document) ? document.toString({ lineWidth: 0 }) : text)
  } catch {
    return null // an alias whose anchor was a secret
  }
}

function removeValues (document: Document): boolean {
  let isChanged = false
  visit(document, {
    Pair (_, { key, value }, parents) {
      const name = isScalar(key) ? String(key.value) : ''
      const isBelow = parents.some((parent) => isPair(parent) && isScalar(parent.key) && secretSections.has(String(parent.key.value)))
      const isSecret = isBelow || secretKeys.has(name) ||
        (isScalar(value) && secretsOfVariables({ [name]: String(value.value) }).length > 0)
      isChanged ||= isSecret
      return isSecret ? visit.REMOVE : undefined
    }
  })
  return isChanged
}

/** What a write that was killed has left beside a file. */
async function removeUnfinished (path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of namesIn(
    folder
  )) if (name.startsWith(`.${basename(path)}.`) && name.endsWith('.tmp')) await rm(join(folder, name), { force: true })
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
