import { isOutsideName, type Guard } from '../../ground/network/guarded-connector.js'
import { hostPortText, readHostPort, type HostPort } from '../../ground/network/host-port.js'
import { isMetadataAddress, isMetadataName } from '../../ground/network/metadata-address.js'
import { isOnOwnNetwork } from '../../ground/network/own-networks.js'
import { isPublicAddress } from '../../ground/network/public-address.js'

/** The addresses that a sandbox can reach over its bridge. */
export interface Reach {
  /** Whether public addresses of the internet can be reached. */
  isPublic: boolean
  /** Open places, each as `host:port`, wherever the host is. */
  places: readonly string[]
}

/** Thrown for a place that must not be reached. */
export class OutOfReach extends Error {
  constructor (readonly place: HostPort, readonly isMetadata: boolean) {
    super('The address is out of reach')
  }
}

/**
 * Returns the guard of one connection, which allows places that are open by name, and public addresses. Metadata services, where clouds
 * keep credentials of a machine, are never allowed, nor do public addresses in the machine's own networks count as public.
 */
export function guardOf ({ isPublic, places }: Reach, place: HostPort): Guard {
  const isOpen = (host: string): boolean => places.includes(hostPortText({ ...place, host }))
  const isNamed = isOpen(place.host)
  return {
    allowAddress: (address) => !isMetadataAddress(address) &&
      (isNamed || isOpen(plain(address)) || (isPublic && isPublicAddress(address) && !isOnOwnNetwork(address))),
    allowName: (name) => !isMetadataName(name) && (isNamed || (isPublic && isOutsideName(name))),
    refuse: (host, address) => new OutOfReach(place, isMetadataName(host) || isMetadataAddress(address))
  }
}

/** Returns an address in the spelling in which places are stored. */
const plain = (address: string): string => readHostPort(`${address.includes(':') ? `[${address}]` : address}:1`)?.host ?? address
