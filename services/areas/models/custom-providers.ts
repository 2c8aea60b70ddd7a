import { customProviderId } from '../../providers/index.js'
import { type ConfigEdit } from '../profiles/index.js'
import { section, type Config } from './configured-models.js'

/**
 * Returns the entries of `custom_providers`; an entry that is not a mapping counts as an empty one, so that positions stay as in the file.
 */
export function customEntries (list: unknown): Config[] {
  return Array.isArray(list) ? list.map((entry: unknown) => section({ entry }, 'entry')) : []
}

/** Returns the index of a provider's entry in `custom_providers`; -1 without one. */
export function customPlace (list: unknown, id: string): number {
  return customEntries(list).findIndex((entry) => customProviderId(entry) === id)
}

/** Returns the entry of a provider in `custom_providers`. */
export function customEntry (list: unknown, id: string): Config | undefined {
  return customEntries(list)[customPlace(list, id)]
}

/** Adds an endpoint to `custom_providers`, or changes the address in its entry. Returns the index of the entry. */
export function placeForCustom (config: ConfigEdit, { name, id, address }: { name: string, id: string, address: string }): number {
  const list = config.get(['custom_providers'])
  const place = customPlace(list, id)
  if (place !== -1) {
    config.set(['custom_providers', place, 'base_url'], address)
    return place
  }
  config.append(['custom_providers'], { name, base_url: address })
  return Array.isArray(list) ? list.length : 0
}
