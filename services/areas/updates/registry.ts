import { fieldsOf } from '../../ground/fields.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { type Channel } from './checkout.js'
import { UpdateFailed } from './failure.js'
import { runNpm, type NpmOptions } from './programs.js'
import { countBetween, newerOf } from './releases.js'

/** The registry's answer about a package. */
export interface RegistryVersions { latest: string, behind: number }

const askLimitMs = 2 * 60_000
/** Enough for some thousand versions. */
const mostCharacters = 1_000_000

/**
 * Asks the registry that npm is configured with, without retries, for the newest version of a package: that of the tag `latest`, or with
 * the channel `experimental` that of `next` if it is newer. Throws UpdateFailed with the reason.
 */
export async function askRegistry (
  name: string, current: string, channel: Channel, options: Pick<NpmOptions, 'environment' | 'folder' | 'signal' | 'log'>
): Promise<RegistryVersions> {
  const printed = await runNpm(
    ['view', name, 'dist-tags', 'versions', '--json', '--fetch-retries=0', '--fetch-timeout=20000'],
    'The npm registry could not be asked for newer versions', { ...options, timeoutMs: askLimitMs, mark: {}, keptCharacters: mostCharacters }
  )
  const { 'dist-tags': tags, versions } = fieldsOf(parseJson(printed))
  const { latest, next } = fieldsOf(tags)
  if (typeof latest !== 'string') throw new UpdateFailed('The npm registry did not say which version is the newest')
  const newest = channel === 'experimental' && typeof next === 'string' ? newerOf(latest, next) : latest
  // npm prints a single version without a list.
  const known = [versions].flat().filter((version) => typeof version === 'string')
  return { latest: newest, behind: countBetween(known, current, newest) }
}
