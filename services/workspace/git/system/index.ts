import { type GitEngine } from '../engine.js'
import { branches } from './branches.js'
import { checkout, stashCheckout } from './checkout.js'
import { commit, commitSelected } from './commits.js'
import { changesToDescribe, diff, storedFile } from './diff.js'
import { log, show, stashes } from './history.js'
import { discard, stage, unstage } from './index-edits.js'
import { fetch, pull, push } from './remote.js'
import { branchToDescribe, remotes } from './pull-request.js'
import { createStatus } from './status.js'

/** Creates the engine that runs the system's git. */
export function createSystemGit (): GitEngine {
  return {
    name: 'git',
    ...createStatus(),
    branches, diff, stored: storedFile, log, show, stashes, stage, unstage, discard, commit, commitSelected, changesToDescribe, checkout,
    stashCheckout, fetch, pull, push, remotes, branchToDescribe
  }
}
