import { type BranchToDescribe, type Git } from '../../workspace/git/index.js'
import { createPullActions, type PullActionsOptions } from './actions.js'
import { createFollowing, type FollowingOptions } from './following.js'
import { type PullSummary } from './forge.js'
import { createPullLookups } from './lookups.js'
import { createFixing } from './fixing.js'
import { createNoticing, type NoticingOptions } from './noticing.js'
import { createPlaces, noBranch, type PlacesOptions } from './places.js'
import { maskedText, summaryOf, titleAndBody } from './texts.js'
import { type ForgeTokens } from './tokens.js'

/** What a model is given to describe a branch. */
export type PullMaterial = Pick<BranchToDescribe, 'commits' | 'diff' | 'truncated'> & { base: string, files: string[] }

export interface PullDraft { title: string, body: string, base: string, source: 'model' | 'summary' }

export interface PullsOptions extends PlacesOptions, Pick<PullActionsOptions, 'audit'>, Pick<FollowingOptions, 'db' | 'clock' | 'log'>,
  Pick<NoticingOptions, 'turns'> {
  git: PlacesOptions['git'] & Pick<Git, 'branchToDescribe' | 'branches'>
  tokens: ForgeTokens
  /** Lets a model write a title, a blank line and a text; null if there is no model. Throws Conflict when a budget is used up. */
  write: (sessionId: string, material: PullMaterial) => Promise<string | null>
}

/**
 * Pull requests of the repositories that sessions work in. They are read from the forge on request; those that were opened here, by a
 * person or by the agent, are also followed ({@link createFollowing}, {@link createNoticing}).
 *
 * Everything throws NotFound for an unknown session, and the errors of git and of {@link ForgeClient}.
 */
export function createPulls (options: PullsOptions) {
  const { git, tokens, write } = options
  const places = createPlaces(options)
  const looks = createPullLookups({ ...options, places })
  const following = createFollowing({ ...options, places })
  const noticing = createNoticing({ ...options, places, follow: following.notice })
  const { size: actions, ...changing } = createPullActions({
    ...options, places, done: looks.forget, opened: following.follow, ended: following.ended
  })

  return {
    ...changing,
    ...createFixing(places),
    look: looks.look,
    /** Events of followed pull requests. */
    on: following.on,
    /** Checks at once for news that are due. */
    lookForNews: following.look,
    stop: async (): Promise<void> => { await Promise.all([noticing.stop(), following.stop()]) },

    list: async (sessionId: string): Promise<PullSummary[]> => await (await places.get(sessionId)).forge.list(),

    /**
     * Returns a title and a text for a pull request of the branch. Throws Invalid without a branch, and Conflict when a budget is used up.
     */
    async draft (sessionId: string, wantedBase: string | null): Promise<PullDraft> {
      const { forge, baseRemote, branch } = await places.get(sessionId)
      if (branch === null) throw noBranch()
      const base = wantedBase ?? (await forge.repository()).defaultBranch
      const { files, ...changes } = await git.branchToDescribe(sessionId, { remote: baseRemote, branch: base })
      const material = { ...changes, files: files.map(({ path }) => path), base }
      const written = changes.commits.length === 0 ? null : await write(sessionId, material)
      const { title, body } = written === null ? summaryOf(branch.name, changes.commits) : titleAndBody(written)
      return { title: maskedText(title), body: maskedText(body), base, source: written === null ? 'summary' : 'model' }
    },

    forges: tokens.list,
    async setForge (...asked: Parameters<ForgeTokens['set']>): ReturnType<ForgeTokens['set']> {
      looks.forget()
      return await tokens.set(...asked)
    },
    /** The number of running and queued actions, of cached answers, of followed pull requests, and of turns that may have opened one. */
    size: () => ({ actions: actions(), looks: looks.size(), followed: following.size(), noticing: noticing.size() })
  }
}

export type Pulls = ReturnType<typeof createPulls>
