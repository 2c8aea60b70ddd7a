export { exportFileName } from './file-name.js'
export { sessionPage, sessionPageChunks, type PageOptions, type PageSession } from './page.js'
