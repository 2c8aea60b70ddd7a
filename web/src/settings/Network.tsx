import { screenWords } from '../words/index.js'
import { Part } from './Part.js'

/** Says who sets the address and what belongs to it. */
export const Network = () => <Part name='network'><p class='settings-note'>{screenWords.value.settings.byAdministrator}</p></Part>
