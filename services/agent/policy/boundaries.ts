import { homedir } from 'node:os'
import { type Boundaries } from './paths.js'

/** The places that a call is judged by, as the host names them: absolute paths, symlinks not yet followed. */
export interface Lands {
  /** Contains no symlinks. */
  workspace: string
  /** Home folder of the profile: the agent's own configuration, keys and instructions. */
  home: string
  /** Homes of other profiles, which are protected like this profile's. */
  otherHomes?: readonly string[]
  /** Folders in which the service keeps its state. */
  serviceRoots: string[]
  /** Folders and files of the service's own program code. Default: none. */
  programRoots?: readonly string[]
  /** Folders outside the workspace that may be read without permission: uploads to the conversation. */
  readable?: readonly string[]
  /** Home folder of the user the commands run as. Default: this process's. */
  userHome?: string
}

export function boundariesOf (lands: Lands, follow: (path: string) => string): Boundaries {
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
