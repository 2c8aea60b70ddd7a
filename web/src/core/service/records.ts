export { isRecord } from '../../../../clients/typescript/src/records.js'
