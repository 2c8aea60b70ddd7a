import { nameLeadsTo } from './names.js'

/** A name that does not look like this machine or its network, for which models are free of charge. */
const name = 'models.elsewhere.example'

/** Returns the address of a server in this process under a foreign name, which leads back here for this process only. */
export function elsewhere (url: string): string {
  nameLeadsTo(name, '127.0.0.1')
  return url.replace('127.0.0.1', name)
}
