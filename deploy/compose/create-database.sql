-- Run by the superuser when the volume is empty. From PostgreSQL 16 on, CREATEROLE is a right over the roles alone that a
-- role has created, so the service can create those that it acts as.
\getenv password TENANTRY_PASSWORD
create role tenantry login createrole password :'password';
create database tenantry owner tenantry encoding 'UTF8' template template0;
-- The image wants a password for the superuser and gets the service's. Without one it is let in from within the container alone.
alter role postgres password null;
