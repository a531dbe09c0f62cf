/** All tasks of the engine, by name. */

import { deviceTasks } from "./devices";
import { exploreTasks } from "./explore/exploreTasks";
import { learnTasks } from "./learn/learn";
import { lookTasks } from "./look/lookTasks";
import { modelTasks } from "./models";
import { paperTasks } from "./paper/paperTasks";
import { fileTasks } from "./readFiles";
import { restoreTasks } from "./restore/restoreTasks";

export const tasks = {
  ...deviceTasks,
  ...modelTasks,
  ...exploreTasks,
  ...lookTasks,
  ...restoreTasks,
  ...paperTasks,
  ...fileTasks,
  ...learnTasks,
};

export type Tasks = typeof tasks;
