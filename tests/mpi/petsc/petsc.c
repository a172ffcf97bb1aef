// Products of matrices by PETSc, for a comparison with those of products.rs on the same matrices.

#include <petscmat.h>
#include <stdlib.h>

// The largest number of entries in a row.
#define MOST 8

// Writes the entries of row `i` and returns their number. `kind` 0 is the five-point stencil on a square
// grid of `n` by `n` points, 1 a matrix with eight entries a row at random columns.
static int row(int kind, PetscInt n, PetscInt rows, PetscInt i, PetscInt *columns, double *values)
{
  int count = 0;
  if (kind == 0) {
    PetscInt x = i % n, y = i / n;
    if (y > 0) columns[count] = i - n, values[count++] = -1;
    if (x > 0) columns[count] = i - 1, values[count++] = -1;
    columns[count] = i, values[count++] = 4;
    if (x < n - 1) columns[count] = i + 1, values[count++] = -1;
    if (y < n - 1) columns[count] = i + n, values[count++] = -1;
    return count;
  }
  unsigned long state = i * 0x9e3779b97f4a7c15UL + 1;
  for (; count < MOST; count++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    columns[count] = state % rows, values[count] = 1.0 + count;
  }
  return count;
}

static double now(void)
{
  MPI_Barrier(PETSC_COMM_WORLD);
  return MPI_Wtime();
}

int main(int argc, char **argv)
{
  PetscInitialize(&argc, &argv, NULL, NULL);
  int kind = atoi(argv[1]), rounds = atoi(argv[3]), rank;
  PetscInt n = atoi(argv[2]), rows = kind == 0 ? n * n : n, start, end;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);

  Mat a, c;
  MatCreate(PETSC_COMM_WORLD, &a);
  MatSetSizes(a, PETSC_DECIDE, PETSC_DECIDE, rows, rows);
  MatSetType(a, MATAIJ);
  MatSeqAIJSetPreallocation(a, MOST, NULL);
  MatMPIAIJSetPreallocation(a, MOST, NULL, MOST, NULL);
  MatGetOwnershipRange(a, &start, &end);
  for (PetscInt i = start; i < end; i++) {
    PetscInt columns[MOST];
    double values[MOST];
    int count = row(kind, n, rows, i, columns, values);
    MatSetValues(a, 1, &i, count, columns, values, ADD_VALUES);
  }
  MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);

  // The least time of each product: with a vector, with a matrix, and with it again.
  double spmv = 1e9, first = 1e9, again = 1e9, norm, time;
  Vec x, y;
  MatCreateVecs(a, &x, &y);
  VecSet(x, 1);
  for (int round = 0; round < 10 * rounds; round++) {
    time = now(), MatMult(a, x, y), time = now() - time;
    spmv = time < spmv ? time : spmv;
  }
  for (int round = 0; round < rounds; round++) {
    time = now(), MatMatMult(a, a, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c), time = now() - time;
    first = time < first ? time : first;
    time = now(), MatMatMult(a, a, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c), time = now() - time;
    again = time < again ? time : again;
    MatNorm(c, NORM_FROBENIUS, &norm);
    MatDestroy(&c);
  }
  if (rank == 0) printf("%.9f %.9f %.9f %.9e\n", spmv, first, again, norm);
  MatDestroy(&a), VecDestroy(&x), VecDestroy(&y);
  return PetscFinalize();
}
