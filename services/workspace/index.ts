export { ensureWorkspace, workspaceFolder } from './folder.js'
