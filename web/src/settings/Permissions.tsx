import { Agents } from './Agents.js'
import { Grants } from './Grants.js'

/** What the agent, and agents from other makers, may do without asking. */
export const Permissions = () => <><Grants /><Agents /></>
