import { homedir } from 'node:os'
import { type Territory } from './paths.js'

/** The places a call is judged by, as the host names them: absolute, symlinks not yet followed. */
export interface Lands {
  /** Free of symlinks. */
  workspace: string
  /** Home folder of the profile: the agent's own configuration, keys and instructions. */
  home: string
  /** Homes of other profiles: as protected as this one's. */
  otherHomes?: readonly string[]
  /** Folders in which the service keeps its state. */
  serviceRoots: string[]
  /** Folders and files of the service's own program. Default: none. */
  programRoots?: readonly string[]
  /** Folders beyond the workspace that may be read without asking: what was uploaded to the conversation. */
  readable?: readonly string[]
  /** Home folder of the user the commands run as. Default: this process's. */
  userHome?: string
}

export function territoryOf (lands: Lands, follow: (path: string) => string): Territory {
  return {
    workspace: lands.workspace,
    readable: (lands.readable ?? []).map(follow),
    homes: [lands.home, ...lands.otherHomes ?? []].map(follow),
    serviceRoots: lands.serviceRoots.map(follow),
    programRoots: (lands.programRoots ?? []).map(follow),
    namedRoots: [...lands.serviceRoots, ...lands.programRoots ?? []],
    userHome: follow(lands.userHome ?? homedir())
  }
}
