export { createCompression, type Compression, type CompressionState } from './compression.js'
