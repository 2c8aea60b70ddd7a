import { shownTitle, untitled } from '../core/sessions/title.js'
import { words } from '../words/index.js'

/** Returns the title of a chat as a person may edit it: empty if it has none yet. */
export const ownTitle = (title: string): string => title === untitled ? '' : title

/** Returns the title of a chat as it is shown; one without a title gets a name in the language of the app. */
export const chatTitle = (title: string): string => ownTitle(title) === '' ? words.value.shell.untitled : shownTitle(title)
