import { NotFound } from '../services/ground/errors.js'
import { createModelChooser, type ModelCatalog } from '../services/areas/models/index.js'
import { type Profiles } from '../services/areas/profiles/index.js'
import { type Answers } from './questions.js'

export interface ModelAnswersOptions {
  /** The name of this machine. */
  machine: string
  catalog: ModelCatalog
  profiles: Profiles
}

export type ModelAnswers = Pick<Answers, 'models' | 'choose_model'>

/** Answers which models the profiles of this machine have, by its own configuration and keys. */
export function createModelAnswers ({ machine, catalog, profiles }: ModelAnswersOptions): ModelAnswers {
  const chooser = createModelChooser({ models: catalog, profiles })

  function assertProfile (profile: string): void {
    if (profiles.get(profile) === undefined) throw new NotFound(`The machine ${machine} has no profile ${profile}`)
  }

  return {
    async models ({ profile }) {
      assertProfile(profile)
      return await catalog.groups(profile)
    },

    async choose_model ({ profile, wanted, instead, isOpen }) {
      assertProfile(profile)
      const ways = isOpen ? [instead, {}] : await catalog.isKnown(profile, wanted) ? [wanted] : [instead, wanted]
      let problem = 'No model can be chosen.'
      for (const way of ways) {
        if (way === null) continue
        const choice = await chooser.choose(profile, way)
        if (!('error' in choice)) return choice
        problem = choice.error
      }
      return { error: problem.slice(0, 2_000) }
    }
  }
}
