import { lstatSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isPair, isScalar, visit, type Document } from 'yaml'
import { readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { homeFiles } from '../../ground/home/settings.js'
import { readYaml } from '../../ground/home/yaml.js'
import { redact, secretsOfVariables } from '../../ground/redaction/index.js'
import { tried } from '../../ground/tried.js'

/** Keys of config.yaml whose values are always secret, whatever they look like. */
const secretKeys = new Set(['api_key', 'token', 'secret', 'password'])
/** Their contents are sent to another party's server, or given to a program. */
const secretSections = new Set(['headers', 'env'])

/**
 * Removes the secrets from a deleted home that is kept so that its owner can restore it: its `.env`, and every key and password in its
 * config.yaml and in the backup copy of that. A file that does not parse is deleted, because its secrets cannot be found. May be called
 * again.
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
  // A link contains nothing itself, and its target belongs to someone else.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return
  const found = readHomeFile(path)
  if (found === undefined) return
  const text = 'text' in found ? cleaned(found.text) : null
  if (text === null) await rm(path, { force: true, recursive: true })
  else if ('text' in found && text !== found.text) await replaceFile(path, text)
}

/** Returns the text without its secrets; null if it does not parse. */
function cleaned (text: string): string | null {
  const document = readYaml(text)
  if (document.errors.length > 0) return null
  try {
    // Comments may contain keys too.
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

/** Removes what an interrupted write has left next to a file. */
async function removeUnfinished (path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of namesIn(
    folder
  )) if (name.startsWith(`.${basename(path)}.`) && name.endsWith('.tmp')) await rm(join(folder, name), { force: true })
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
