import { screenWords } from '../words/index.js'
import { textNamed } from '../words/text-named.js'

/** Returns the description of a skill, or of its command, in the language of the app if the skill comes with the service. */
export const sayDescription = (description: string): string =>
  textNamed(screenWords.value.skills.shipped, description.split(' Use when ')[0] ?? '', description)
