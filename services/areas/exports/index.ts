export { exportFileName } from './file-name.js'
export { inLanguage } from './page-texts.js'
export { createExports, type Exports } from './exports.js'
export { sessionPage, sessionPageChunks, type PageOptions, type PageSession } from './page.js'
