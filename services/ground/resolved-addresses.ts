import { lookup } from 'node:dns'
import { isIP } from 'node:net'

/** A name server that takes longer has nothing to say about it. */
const lookupMs = 2_000

/** The host of an address, an IPv6 one without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * The IP addresses that a host leads to: itself, or what its name stands for. None where the name is not known, or not in time:
 * nothing can be sent there then, and where something is sent the connection is judged again (`guardedConnector`). Never rejects.
 */
export async function addressesOf (
  url: URL, look: (host: string) => Promise<ReadonlyArray<{ address: string }>> = lookUp
): Promise<string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<[]>((resolve) => { timer = setTimeout(() => resolve([]), lookupMs) })
  const found = await Promise.race([look(host).catch(() => []), late]).finally(() => clearTimeout(timer))
  return found.map(({ address }) => address)
}

/** By the same way as connections are made. */
async function lookUp (host: string): Promise<ReadonlyArray<{ address: string }>> {
  return await new Promise((resolve, reject) =>
    lookup(host, { all: true }, (error, found) => error === null ? resolve(found) : reject(error)))
}
