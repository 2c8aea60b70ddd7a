import { gitOptions } from './known-git.js'
import { afterOptions } from './options.js'
import { Spelling } from './spelling.js'

const ofGitItself = new Spelling(gitOptions['git'] ?? '')

/** Returns the index of git's subcommand among its arguments, behind the options of git itself and their values. */
export const gitCommandAt = (args: readonly string[]): number => afterOptions(args, ofGitItself)
