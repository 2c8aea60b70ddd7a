import { nameLeadsTo } from './names.js'

/** A name that no address of this machine or network has by its looks, where models are free of charge. */
const name = 'models.elsewhere.example'

/**
 * The address of a server of this process as if it were somebody else's: under a name that leads back here, for this process alone.
 */
export function elsewhere (url: string): string {
  nameLeadsTo(name, '127.0.0.1')
  return url.replace('127.0.0.1', name)
}
