/** The last part of a path, which is what people call a folder. */
export const folderName = (path: string): string => path.split(/[\\/]/).filter((part) => part !== '').at(-1) ?? path
