import { isOutsideName, type Guard } from '../../ground/guarded-connector.js'
import { hostPortText, readHostPort, type HostPort } from '../../ground/host-port.js'
import { isMetadataAddress, isMetadataName } from '../../ground/metadata-address.js'
import { isOnOwnNetwork } from '../../ground/own-networks.js'
import { isPublicAddress } from '../../ground/public-address.js'

/** What can be reached from a sandbox over its bridge. */
export interface Reach {
  /** Addresses of the internet. */
  isPublic: boolean
  /** `host:port`, wherever the host is. */
  places: readonly string[]
}

/** A place that may not be reached. */
export class OutOfReach extends Error {
  constructor (readonly place: HostPort, readonly isMetadata: boolean) {
    super('The address is out of reach')
  }
}

/**
 * The guard of one connection: to a place that is open by name, or to a public address. Where clouds keep credentials of a machine, and
 * what is in its own networks though its address is public, is none of those.
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

/** An address in the one spelling that places are kept in. */
const plain = (address: string): string => readHostPort(`${address.includes(':') ? `[${address}]` : address}:1`)?.host ?? address
