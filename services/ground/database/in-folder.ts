/** A condition of SQL: the column `workspace` names the folder `@folder`, or one below it. */
export const inFolder = "(workspace = @folder or substr(workspace, 1, length(@folder) + 1) = @folder || '/')"
