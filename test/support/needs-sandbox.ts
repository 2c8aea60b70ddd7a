import { findSandbox } from '../../services/agent/index.js'

/** The sandbox of this machine. */
export const sandbox = await findSandbox(process.env)
/** Skips a test with the reason if no sandbox is possible, but never on CI. */
export const needsSandbox: { skip?: string } = sandbox.available || process.env['CI'] === 'true' ? {} : { skip: sandbox.reason }
