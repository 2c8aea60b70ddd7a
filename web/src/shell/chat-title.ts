import { shownTitle } from '../core/sessions/title.js'
import { words } from '../words/index.js'

/** What the service calls a chat that has no title yet. */
const untitled = 'Untitled'

/** Returns the title of a chat as it is shown; one without a title gets a name in the language of the app. */
export const chatTitle = (title: string): string => title === '' || title === untitled ? words.value.shell.untitled : shownTitle(title)
