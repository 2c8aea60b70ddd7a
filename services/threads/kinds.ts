import { type Kinds } from '../ground/workers/index.js'

/** Which tasks wait for each other. */
export const kinds: Kinds = {
  checkpointWal: 'quick',
  documentText: 'showing',
  embeddedGit: 'quick',
  extractArchive: 'long',
  findPaths: 'searching',
  findSpecial: 'keeping',
  listFolder: 'quick',
  previewOffice: 'showing',
  restoreFiles: 'keeping',
  readImport: 'bringing',
  removeLeftovers: 'long',
  removeTrees: 'long',
  findIndexChanges: 'keeping',
  walkFolder: 'showing',
  writeYaml: 'showing'
}
