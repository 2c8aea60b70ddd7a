import { isMetadataAddress, isMetadataName } from '../ground/network/metadata-address.js'
import { addressesOf, bareHostname } from '../ground/network/resolved-addresses.js'

const longestAddress = 2_000

const isNone = 'must not be a link-local or metadata address'

/** Returns why an address cannot be that of a model server, in words that follow its name; null if it can. Makes no DNS lookup. */
export function addressProblem (address: string): string | null {
  if (address.length > longestAddress || !URL.canParse(address)) return 'must be an http or https address'
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must not hold a name or password: send the key on its own'
  const host = bareHostname(url)
  if (isMetadataName(host) || isMetadataAddress(host)) return isNone
  return null
}

/**
 * Does the same for an address that a client sends, and also checks the addresses that its name resolves to, because a name may lead
 * anywhere. A name that is unknown or not resolved in time is no problem here, because nothing can be sent to it.
 */
export async function reachedAddressProblem (address: string, lookup?: Parameters<typeof addressesOf>[1]): Promise<string | null> {
  const problem = addressProblem(address)
  if (problem !== null) return problem
  return (await addressesOf(new URL(address), lookup)).some(isMetadataAddress) ? isNone : null
}
