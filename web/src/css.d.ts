/** A style sheet is imported for its side effect only. */
declare module '*.css'
