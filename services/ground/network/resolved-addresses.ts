import { lookup } from 'node:dns'
import { isIP } from 'node:net'
import { inTime } from '../concurrency/in-time.js'
import { withoutBrackets } from './loopback.js'

/** A lookup that takes longer counts as unresolved. */
const lookupMs = 2_000

/** Returns the host of an address, an IPv6 address without its brackets. */
export const bareHostname = ({ hostname }: URL): string => withoutBrackets(hostname)

/**
 * Returns the IP addresses of a host: itself, or those that its name resolves to. Returns none if the name is unknown or not resolved in
 * time: nothing can be sent there then, and any connection is checked again (`guardedConnector`). Never rejects.
 */
export async function addressesOf (
  url: URL, look: (host: string) => Promise<ReadonlyArray<{ address: string }>> = lookUp
): Promise<string[]> {
  const host = bareHostname(url)
  if (isIP(host) !== 0) return [host]
  const found = await inTime(lookupMs, look(host).catch(() => []))
  return (found ?? []).map(({ address }) => address)
}

/** Looks up a name in the same way as connections do. */
async function lookUp (host: string): Promise<ReadonlyArray<{ address: string }>> {
  return await new Promise((resolve, reject) =>
    lookup(host, { all: true }, (error, found) => error === null ? resolve(found) : reject(error)))
}
