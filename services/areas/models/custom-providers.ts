import { customProviderId } from '../../providers/index.js'
import { type ConfigEdit } from '../profiles/index.js'
import { section, type Config } from './selection.js'

/** The entries of `custom_providers`; what is no mapping counts as an empty one, so that places stay as the file has them. */
export function customEntries (list: unknown): Config[] {
  return Array.isArray(list) ? list.map((entry: unknown) => section({ entry }, 'entry')) : []
}

/** Where the entry of a provider stands in `custom_providers`; -1 without one. */
export function customPlace (list: unknown, id: string): number {
  return customEntries(list).findIndex((entry) => customProviderId(entry) === id)
}

/** The entry of a provider in `custom_providers`. */
export function customEntry (list: unknown, id: string): Config | undefined {
  return customEntries(list)[customPlace(list, id)]
}

/** Puts an endpoint into `custom_providers`, or another address into its entry; where it then stands. */
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
